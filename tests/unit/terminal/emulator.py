"""A terminal as small as the reporter needs: wraps, carriage return, cursor up, erase below."""

from __future__ import annotations

import io
import re

from weft.terminal.plain import width

_TOKENS = re.compile(r"\x1b\[(\d*)([A-Za-z])|[\s\S]")


class Recorder(io.StringIO):
    """A stream that remembers each write."""

    encoding = "utf-8"

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[str] = []

    def write(self, text: str) -> int:
        self.writes.append(text)
        return super().write(text)


class Terminal(Recorder):
    """What one would see; rows that scrolled away are kept."""

    def __init__(self, columns: int) -> None:
        super().__init__()
        self.columns = columns
        self.rows: list[str] = [""]
        self.row = 0
        self.column = 0

    def write(self, text: str) -> int:
        for token in _TOKENS.finditer(text):
            self._take(token)
        return super().write(text)

    def _take(self, token: re.Match[str]) -> None:
        match token.group(2), token.group(0):
            case "A", _:
                self.row = max(0, self.row - int(token.group(1) or 1))
            case "J", _:
                self.rows[self.row] = self.rows[self.row][: self.column]
                del self.rows[self.row + 1 :]
            case "m", _:
                pass
            case None, "\r":
                self.column = 0
            case None, "\n":
                self._next_row()
            case None, char:
                self._put(char)
            case unknown:
                raise AssertionError(f"the emulator does not know {unknown}")

    def _put(self, char: str) -> None:
        if width(self.rows[self.row]) + width(char) > self.columns:
            self._next_row()
        self.rows[self.row] = self.rows[self.row][: self.column] + char
        self.column += 1

    def _next_row(self) -> None:
        self.row += 1
        self.column = 0
        if self.row == len(self.rows):
            self.rows.append("")
