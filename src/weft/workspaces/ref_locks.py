"""Moving a ref that others may be moving too: git's lock on it is waited for, and cleared where its owner is dead."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from weft.workspaces.git import GitFailed
from weft.workspaces.stale_locks import SETTLED, clear_stale_lock

PATIENCE = 5.0
"""Seconds; a living git has such a lock for milliseconds."""
PAUSE = 0.05


async def despite_locks(root: Path, lock: Path, move: Callable[[], Awaitable[None]]) -> None:
    began = time.monotonic()
    while True:
        try:
            await move()
            return
        except GitFailed as failure:
            waited = time.monotonic() - began
            if not _is_lock(failure) or waited > PATIENCE:
                raise
        await asyncio.sleep(PAUSE)
        if waited > SETTLED:
            await asyncio.to_thread(clear_stale_lock, root, lock)


def _is_lock(failure: GitFailed) -> bool:
    return ".lock': File exists" in failure.stderr
