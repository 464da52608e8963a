"""Text from outside made safe to print, and measured as a terminal does."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS and kin, to their end
    r"|\x9b[0-?]*[ -/]*[@-~]"
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    """One line without escape sequences, control characters or marks that turn the reading direction; tabs become
    a space, and so do line breaks."""
    spaced = _ESCAPES.sub("", text).replace("\t", " ").replace("\r\n", " ").replace("\n", " ")
    return _CONTROLS.sub("", spaced)


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
