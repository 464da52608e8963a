"""Cut what is read of a file into lines."""

from __future__ import annotations


class Lines:
    """Takes chunks, gives complete lines. Work is linear and memory bounded, however long a line grows."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._length = 0
        """Of the unfinished line, kept or not."""
        self.oversized = 0

    def take(self, chunk: bytes) -> list[bytes]:
        """The lines that are complete with this chunk, without their newline and without those beyond the limit."""
        first, *others = chunk.split(b"\n")
        self._hold(first)
        if not others:
            return []
        rest = others.pop()
        complete = [*self._finish(), *filter(self._fits, others)]
        self._hold(rest)
        return complete

    def last(self) -> list[bytes]:
        """The unfinished line, at the end of all."""
        return self._finish() if self._length else []

    def _finish(self) -> list[bytes]:
        line = b"".join(self._parts)
        oversized = self._length > self._limit
        self.oversized += oversized
        self._parts.clear()
        self._length = 0
        return [] if oversized else [line]

    def _fits(self, line: bytes) -> bool:
        fits = len(line) <= self._limit
        self.oversized += not fits
        return fits

    def _hold(self, part: bytes) -> None:
        self._length += len(part)
        if self._length > self._limit:
            self._parts.clear()
        elif part:
            self._parts.append(part)
