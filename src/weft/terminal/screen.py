"""A stream for people: whole lines, one write each, and on a terminal one line that stays below them."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import Enum
from typing import TextIO

from weft.terminal.glyphs import glyphs_for
from weft.terminal.plain import width


class Tone(Enum):
    """The colour of a whole line: inside, its text stays as it is without."""

    PLAIN = ""
    GOOD = "\x1b[32m"
    BAD = "\x1b[31m"
    WARNING = "\x1b[33m"
    FAINT = "\x1b[2m"


_RESET = "\x1b[0m"


def size_of(stream: TextIO) -> tuple[int, int]:
    """Columns and rows, of the stream's own terminal: stdout may be elsewhere than stderr. Ask anew, windows change."""
    try:
        size = os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):
        return 80, 24
    return size.columns or 80, size.lines or 24


class Screen:
    """Writes to `stream`. A stream that breaks is given up: showing must never end a run."""

    def __init__(
        self,
        stream: TextIO,
        *,
        tty: bool = False,
        color: bool = False,
        columns: Callable[[], int] | None = None,
    ) -> None:
        self._stream = stream
        self._columns = columns or (lambda: size_of(stream)[0])
        self._encoding = getattr(stream, "encoding", None) or "utf-8"
        self.tty = tty
        self.color = color
        self.glyphs = glyphs_for(self._encoding)
        self._below = ""
        self._drawn_room: int | None = None

    @property
    def resized(self) -> bool:
        """Whether the line below was drawn for another width."""
        return bool(self._below) and self._drawn_room != self.room

    @property
    def room(self) -> int | None:
        """Columns for the line below; the last one stays free, since terminals wrap there. None: as many as needed."""
        return max(1, self._columns() - 1) if self.tty else None

    def line(self, text: str, tone: Tone = Tone.PLAIN) -> None:
        """A line that scrolls; the one below stays below."""
        painted = f"{tone.value}{text}{_RESET}" if self.color and tone.value else text
        self._write(f"{self._erase()}{painted}\n{self._below}")

    def below(self, text: str) -> None:
        """Set the line that stays below; elsewhere than on a terminal it is a line like any other."""
        if not self.tty:
            self._write(f"{text}\n")
            return
        erase, self._below, self._drawn_room = self._erase(), text, self.room
        self._write(erase + text)

    def release(self) -> None:
        """Let the line below scroll too: nothing stays."""
        if self._below:
            self._below = ""
            self._write("\n")

    def _erase(self) -> str:
        """Back to where the line below began: a window made narrower since has wrapped it."""
        if not self._below:
            return ""
        rows_above = max(0, width(self._below) - 1) // max(1, self._columns())
        return (f"\x1b[{rows_above}A" if rows_above else "") + "\r\x1b[J"

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text.encode(self._encoding, "replace").decode(self._encoding))
            self._stream.flush()
        except (OSError, ValueError):
            self._write = self._drop  # type: ignore[method-assign]

    def _drop(self, text: str) -> None:
        """Nobody reads any more."""
