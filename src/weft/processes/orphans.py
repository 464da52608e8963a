"""End what a dead warden left: its processes are Weft's children then."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Container

from weft.processes.warden.kernel import children_of, descendants_of
from weft.processes.warden.tags import Tags, signal_exactly

PAUSE = 0.01


async def end_orphans(spare: Container[int]) -> None:
    """Kill every process that carries a warden's tag and is now ours, with all below it; `spare` are wardens."""
    tags = Tags()
    while orphans := [pid for pid in children_of(os.getpid()) if pid not in spare and tags.read(pid)]:
        for pid in descendants_of(orphans):
            signal_exactly(pid, signal.SIGKILL, tags)
        for pid in orphans:
            _reap(pid)
        await asyncio.sleep(PAUSE)


def _reap(pid: int) -> None:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return
