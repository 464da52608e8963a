"""Markdown from text that may hold anything."""

from __future__ import annotations

from collections.abc import Sequence

from weft.board.plain import plain


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [
        _markdown_row(header),
        "|" + " --- |" * len(header),
        *(_markdown_row(row) for row in rows),
    ]


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(markdown(cell) for cell in cells) + " |"


def markdown(text: str) -> str:
    """As text in a Markdown document: what would be read as its syntax is escaped."""
    safe = plain(text).replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;")
    for char in "|`*_[]":
        safe = safe.replace(char, f"\\{char}")
    return safe
