"""Whose turn it is to change the list of a repo's worktrees, among tasks and among processes."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
from collections.abc import AsyncIterator
from pathlib import Path

PAUSE = 0.005


class Turns:
    """A lock file; the kernel frees it when its holder dies."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = asyncio.Lock()

    @contextlib.asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        async with self._lock:
            with self._file.open("wb") as held:
                # The kernel tells nobody when a lock becomes free.
                while not _try_lock(held.fileno()):  # noqa: ASYNC110
                    await asyncio.sleep(PAUSE)
                yield


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
