"""Answers next to each other, where the terminal is wide enough, else one under the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import msgspec

from weft.terminal.plain import cut, pad, plain, width

_GAP = " | "
_LEAST = 36
"""Columns that an answer needs to be read."""


class Column(msgspec.Struct, frozen=True):
    heading: str
    text: str


def side_by_side(columns: Sequence[Column], room: int) -> list[str]:
    each = (room - width(_GAP) * (len(columns) - 1)) // max(1, len(columns))
    return _beside(columns, each) if each >= _LEAST else _below(columns, room)


def _beside(columns: Sequence[Column], each: int) -> list[str]:
    cells = [[cut(plain(column.heading), each), "-" * each, *_wrapped(column.text, each)] for column in columns]
    return [_GAP.join(pad(cell, each) for cell in row).rstrip() for row in zip_longest(*cells, fillvalue="")]


def _below(columns: Sequence[Column], room: int) -> list[str]:
    lines: list[str] = []
    for column in columns:
        heading = plain(column.heading)
        lines += [heading, "-" * min(room, max(4, width(heading))), *map(plain, column.text.splitlines()), ""]
    return lines[:-1]


def _wrapped(text: str, columns: int) -> list[str]:
    return [piece for line in text.splitlines() for piece in _pieces(plain(line.expandtabs(4)), columns)]


def _pieces(line: str, columns: int) -> list[str]:
    """Cut at blanks where that is possible."""
    pieces: list[str] = []
    while width(line) > columns:
        fits = cut(line, columns, "")
        at = fits.rfind(" ")
        head = fits[:at] if at > columns // 3 else fits
        pieces.append(head)
        line = line[len(head) :].lstrip(" ")
    return [*pieces, line]
