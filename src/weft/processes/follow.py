"""Follow a growing file, line by line, without holding up the loop."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any
from weakref import WeakKeyDictionary

import msgspec

from weft.processes.lines import Lines

CHUNK = 128 * 1024
LINE_LIMIT = 16 * 1024 * 1024
EAGER, IDLE = 0.005, 0.25
"""Seconds between two looks: after the file grew, and when it has been still for long."""
TURN = 0.01
"""Seconds of the loop's time that all followers together may take before others have their turn."""

OnLine = Callable[[bytes], None]
_one_at_a_time: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


class Followed(msgspec.Struct, frozen=True):
    """What was read in all."""

    bytes: int
    lines: int
    """Given out."""
    oversized: int
    """Beyond the limit: they stand in the file but were not given out."""


async def follow(
    path: Path, on_line: OnLine, ended: asyncio.Event | asyncio.Future[Any], *, line_limit: int = LINE_LIMIT
) -> Followed:
    """Give each line of `path` to `on_line`, as it is written, until `ended` is set and all is read.

    Lines come as bytes without their newline; the last may lack one. The file may appear later than the call. No
    descriptor is held while nothing is written.
    """
    over = _future(ended)
    follower = _Follower(path, on_line, line_limit)
    pause = EAGER
    try:
        while True:
            last_look = over.done()
            if await follower.read_on():
                pause = EAGER
            elif last_look:
                return follower.close()
            if not last_look:
                await asyncio.wait([over], timeout=pause)
                pause = min(2 * pause, IDLE)
    finally:
        if over is not ended:
            over.cancel()


def tail(path: Path, limit_bytes: int) -> str:
    """The end of a file, with what is not UTF-8 replaced; empty if there is no such file."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - limit_bytes))
            return file.read(limit_bytes).decode(errors="replace")
    except FileNotFoundError:
        return ""


def _future(ended: asyncio.Event | asyncio.Future[Any]) -> asyncio.Future[Any]:
    return asyncio.ensure_future(ended.wait()) if isinstance(ended, asyncio.Event) else ended


class _Follower:
    """Where the reading of one file stands."""

    def __init__(self, path: Path, on_line: OnLine, line_limit: int) -> None:
        self._path = path
        self._on_line = on_line
        self._cut = Lines(line_limit)
        self._offset = 0
        self._lines = 0
        self._turn = _one_at_a_time.setdefault(asyncio.get_running_loop(), asyncio.Lock())

    async def read_on(self) -> bool:
        """Read to the present end; false if there was nothing new."""
        if self._size() <= self._offset:
            return False
        with self._path.open("rb", buffering=0) as file:
            file.seek(self._offset)
            while await self._read_chunk(file):
                pass
        return True

    def close(self) -> Followed:
        for line in self._cut.last():
            self._give(line)
        return Followed(self._offset, self._lines, self._cut.oversized)

    async def _read_chunk(self, file: IO[bytes]) -> bool:
        """Whoever has the turn gives the loop back often, so that fifty busy files hold it up no longer than one."""
        async with self._turn:
            chunk = file.read(CHUNK)
            self._offset += len(chunk)
            await self._give_out(self._cut.take(chunk))
            await asyncio.sleep(0)
            return bool(chunk)

    async def _give_out(self, lines: list[bytes]) -> None:
        until = time.perf_counter() + TURN
        for line in lines:
            self._give(line)
            if time.perf_counter() > until:
                await asyncio.sleep(0)
                until = time.perf_counter() + TURN

    def _give(self, line: bytes) -> None:
        self._lines += 1
        self._on_line(line)

    def _size(self) -> int:
        try:
            size = self._path.stat().st_size
        except FileNotFoundError:
            return 0
        self._offset = min(self._offset, size)
        return size
