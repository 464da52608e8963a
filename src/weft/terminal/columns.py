"""Rows of text under each other, in columns as wide as their widest cell."""

from __future__ import annotations

from collections.abc import Sequence

from weft.terminal.plain import pad, plain, width


def columns(rows: Sequence[Sequence[str]], *, indent: str = "", gap: str = "  ") -> list[str]:
    """Lines without trailing blanks; rows may have fewer cells than others."""
    cells = [[plain(cell) for cell in row] for row in rows]
    count = max(map(len, cells), default=0)
    widths = [max((width(row[i]) for row in cells if i < len(row)), default=0) for i in range(count)]
    return [
        (indent + gap.join(pad(cell, size) for cell, size in zip(row, widths, strict=False))).rstrip() for row in cells
    ]
