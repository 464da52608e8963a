"""Signs of life of a session: its output grew, its processes are busy, files in its workspace changed."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from weft.execution.stall import Sign
from weft.processes.busy import ProcessorTime, growth, processor_time

BUSY = 0.02
"""The part of one processor from which on a tree is busy: a program that only waits uses less."""
TICK = 0.01
"""What the kernel counts in, in seconds."""
MOST_ENTRIES = 20_000
"""Files and folders that one look at a workspace takes in, those near its root first."""
LEFT_OUT = frozenset({".git"})


def output_grew(files: Sequence[Path]) -> Sign:
    """What it prints, be it an event or a line of text."""
    sizes = [0]

    async def grew(since: float) -> bool:
        before, sizes[0] = sizes[0], sum(map(_size, files))
        return sizes[0] != before

    return grew


def tree_busy(root: int, mark: str, warden: int) -> Sign:
    before: list[ProcessorTime] = [{}]

    async def busy(since: float) -> bool:
        now = await asyncio.to_thread(processor_time, root, mark, warden)
        used = growth(before[0], now)
        before[0] = now
        return used >= max(TICK, BUSY * since)

    return busy


def files_changed(folder: Path) -> Sign:
    before: list[int | None] = [None]

    async def changed(since: float) -> bool:
        now = await asyncio.to_thread(fingerprint, folder)
        earlier, before[0] = before[0], now
        return now != earlier

    return changed


def fingerprint(folder: Path, most: int = MOST_ENTRIES) -> int:
    """Changes with any file or folder in it, git's own left out; of a large one only so many are looked at."""
    found = looked_at = 0
    ahead = deque([str(folder)])
    while ahead and looked_at < most:
        for entry in _entries(ahead.popleft()):
            looked_at += 1
            try:
                stat = entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    ahead.append(entry.path)
            except OSError:
                continue  # gone meanwhile
            found ^= hash((entry.path, stat.st_mtime_ns, stat.st_size))
    return found


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return [entry for entry in entries if entry.name not in LEFT_OUT]
    except OSError:
        return []


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
