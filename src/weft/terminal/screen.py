"""A stream for people: whole lines, one write each, and on a terminal one line that stays below them."""

from __future__ import annotations

import shutil
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


def terminal_columns() -> int:
    return shutil.get_terminal_size().columns


class Screen:
    """Writes to `stream`. A stream that breaks is given up: showing must never end a run."""

    def __init__(
        self,
        stream: TextIO,
        *,
        tty: bool = False,
        color: bool = False,
        columns: Callable[[], int] = terminal_columns,
    ) -> None:
        self._stream = stream
        self._columns = columns
        self._encoding = getattr(stream, "encoding", None) or "utf-8"
        self.tty = tty
        self.color = color
        self.glyphs = glyphs_for(self._encoding)
        self._below = ""

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
        erase, self._below = self._erase(), text
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
