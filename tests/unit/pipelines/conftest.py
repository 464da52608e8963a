"""The built-in pipeline, read from its files."""

from __future__ import annotations

from pathlib import Path

import pytest

import weft.pipelines
from weft.model.phase import Pipeline
from weft.pipelines.parse import parse_pipeline

BUILTIN = Path(weft.pipelines.__file__).with_name("builtin")


@pytest.fixture
def templates() -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in BUILTIN.glob("*.md")}


@pytest.fixture
def default(templates: dict[str, str]) -> Pipeline:
    path = BUILTIN / "default.toml"
    return parse_pipeline(path.read_text(encoding="utf-8"), templates, path.name)
