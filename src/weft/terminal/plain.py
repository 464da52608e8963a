"""Text from outside made safe to print, and measured as a terminal does."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from weft.board.plain import plain as plain


@lru_cache(maxsize=1024)
def _char_width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf", "Cc"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def width(text: str) -> int:
    """Columns it takes on a terminal."""
    return len(text) if text.isascii() and text.isprintable() else sum(map(_char_width, text))


def cut(text: str, columns: int, ellipsis: str = "…") -> str:
    """At most so many columns; what was cut shows as an ellipsis where there is room for one."""
    if width(text) <= columns:
        return text
    room = columns - width(ellipsis)
    if room < 0:
        ellipsis, room = "", columns
    kept = []
    for char in text:
        room -= _char_width(char)
        if room < 0:
            break
        kept.append(char)
    return "".join(kept) + ellipsis


def pad(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))
