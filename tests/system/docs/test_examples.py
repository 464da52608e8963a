"""What pages show can be run, and does what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.system.docs.conftest import RunBlocks
from tests.system.docs.pages import PAGES, ROOT, blocks, shown

from weft.assembly.builtin import builtin_pipeline
from weft.pipelines.parse import parse_pipeline
from weft.settings.environment import Environment
from weft.settings.load import load

README = ROOT / "README.md"
RUN = "run by a test"
OUTPUT = "output of the block above"
_TIMES = re.compile(r"\d+(\.\d+)?s\b")


def _without_times(text: str) -> list[str]:
    return [_TIMES.sub("…s", line) for line in text.strip().splitlines()]


def _noted(page: Path, note: str) -> list[str]:
    return [block.text for block in blocks(page) if block.note == note]


def _named(page: Path, kind: str, name: str) -> str:
    return next(block.text for block in blocks(page) if block.kind == kind and f"# {name}\n" in block.text)


def test_the_readme_example_runs(run_shell: RunBlocks) -> None:
    """The README's example ends with the very summary it shows, but for times (DOC-1)."""
    [script], [output] = _noted(README, RUN), _noted(README, OUTPUT)
    done = run_shell(script)
    assert done.returncode == 0, done.stderr
    assert _without_times(done.stdout) == _without_times(output)


def test_the_readme_names_real_targets() -> None:
    """The two commands of the README are targets of the Makefile."""
    named = re.findall(r"^make (\w+)", "\n".join(block.text for block in blocks(README) if block.kind == "sh"), re.M)
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert named == ["demo", "test"]
    assert set(named) <= set(targets)


CLAUDE = """\
cat > prompt.txt
case "$WEFT_PHASE" in
  exec) echo "def hello(): ..." > hello.py ;;
  qa) printf 'Looks right.\\n\\n```json\\n{"approved": %s, "findings": []}\\n```\\n' "$(cat "$HOME/opinion")" ;;
  *) echo "A plan." ;;
esac
rm -f prompt.txt
"""


@pytest.mark.parametrize(("opinion", "code"), [("true", 0), ("false", 1)])
def test_the_claude_script_hands_the_review_on(run_shell: RunBlocks, tmp_path: Path, opinion: str, code: int) -> None:
    """With the README's script and settings a review that refuses is a refusal (RUN-8)."""
    stand_in = tmp_path / "bin" / "claude"
    stand_in.parent.mkdir()
    stand_in.write_text(f"#!/bin/sh\n{CLAUDE}", encoding="utf-8")
    stand_in.chmod(0o755)
    (tmp_path / "opinion").write_text(opinion, encoding="utf-8")
    parts = {"claude.sh": _named(README, "sh", "claude.sh"), "weft.toml": _named(README, "toml", "weft.toml")}
    files = "\n".join(f"cat > {name} <<'END'\n{text}END" for name, text in parts.items())
    repo = f"git init -q -b main\n{files}\nchmod +x claude.sh\ngit add -A && git commit -qm start"
    done = run_shell(f'{repo}\nweft run "say hello" --quality-loop 0', first=stand_in.parent)
    assert done.returncode == code, done.stdout + done.stderr


TUTORIALS = [page for page in PAGES if page.name == "tutorial.md" or page.parent.name == "tutorials"]


@pytest.mark.parametrize("page", TUTORIALS, ids=shown)
def test_the_tutorial_runs(run_shell: RunBlocks, page: Path) -> None:
    """A tutorial's shell blocks that are marked so run one after the other, as typed by a reader (DOC-1)."""
    done = run_shell("\n".join(_noted(page, RUN)))
    assert done.returncode == 0, done.stdout + done.stderr


OWN_PIPELINES = [
    pytest.param(block.text, id=f"{shown(page)}-{number}")
    for page in PAGES
    for number, block in enumerate(blocks(page))
    if block.kind == "toml" and block.text.startswith("# pipeline/")
]


@pytest.mark.parametrize("text", OWN_PIPELINES)
def test_pipelines_that_are_shown_are_right(text: str) -> None:
    """Every pipeline in a page is one that Weft takes, with templates of its own where it names such (RUN-7)."""
    _, templates = builtin_pipeline()
    named = re.findall(r'^prompt = "(.*\.md)"', text, re.M)
    parse_pipeline(text, dict.fromkeys(named, "{{issue}}") | templates, "the page")


SETTINGS = [
    pytest.param(block.text, id=f"{shown(page)}-{number}")
    for page in PAGES
    for number, block in enumerate(blocks(page))
    if block.kind == "toml" and block.text.startswith("# weft.toml\n")
]


@pytest.mark.parametrize("text", SETTINGS)
def test_settings_that_are_shown_are_right(tmp_path: Path, text: str) -> None:
    """Every `weft.toml` in a page is one that Weft takes (DOC-1)."""
    (tmp_path / "weft.toml").write_text(text, encoding="utf-8")
    (tmp_path / "agent-script.toml").write_text('[[session]]\nsteps = [{ result = "done" }]\n', encoding="utf-8")
    load(Environment({"HOME": str(tmp_path / "home")}, tmp_path))
