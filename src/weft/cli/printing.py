"""Data on stdout."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from weft.terminal.glyphs import Glyphs, glyphs_for


def json_text(document: Any) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def print_json(document: Any) -> None:
    print_text(json_text(document))


def print_text(text: str) -> None:
    """`text` ends its last line itself."""
    click.echo(text, nl=False)


def stdout_glyphs() -> Glyphs:
    return glyphs_for(sys.stdout.encoding)


def note(text: str) -> None:
    """For people, not part of the data."""
    click.echo(text, err=True)
