"""The reference page names all there is."""

from __future__ import annotations

import re
from pathlib import Path

from weft.model.phase import ApprovalMode, FailureClass, Phase, Pipeline, SandboxMode
from weft.pipelines.parse import parse_pipeline
from weft.pipelines.prompts import VARIABLES

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "pipelines.md").read_text(encoding="utf-8")


NOT_WRITTEN = {"verbatim", "ranks", "must_change"}
"""Set by `weft parallel`, `chain` and `compare` for the phases they make."""


def test_every_key_variable_and_word_has_its_place() -> None:
    """What can be written in a pipeline is on the page (RUN-7)."""
    words = [*(set(Phase.__struct_fields__) - NOT_WRITTEN), *VARIABLES]
    words += [member.value for kind in (FailureClass, ApprovalMode, SandboxMode) for member in kind]
    assert [word for word in words if f"`{word}`" not in PAGE] == []


def test_the_example_is_the_default(default: Pipeline, templates: dict[str, str]) -> None:
    """The page shows the pipeline that really runs (RUN-7)."""
    example = re.findall(r"```toml\n(.*?)```", PAGE, re.S)[0]
    assert parse_pipeline(example, templates, "page") == default
