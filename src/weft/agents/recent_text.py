"""The end of a text that grows piece by piece, as much of it as is kept."""

from __future__ import annotations

from collections import deque

LONGEST_ANSWER = 8 * 1024 * 1024
"""Characters of an answer that are kept: far more than any model says at once, and little for a machine."""


class RecentText:
    """Adding costs no more than the piece, however much is kept already."""

    def __init__(self, limit: int = LONGEST_ANSWER) -> None:
        self._limit = limit
        self._pieces: deque[str] = deque()
        self._length = 0

    def add(self, piece: str) -> None:
        self._pieces.append(piece)
        self._length += len(piece)
        while self._length - len(self._pieces[0]) >= self._limit:
            self._length -= len(self._pieces.popleft())

    def set(self, text: str) -> None:
        self._pieces.clear()
        self._length = 0
        self.add(text)

    def __str__(self) -> str:
        return "".join(self._pieces)[-self._limit :]
