"""How much processor time a process and all that came of it have used: whoever is busy is not stuck."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping

from weft.processes.warden.kernel import LINUX, children_of, descendants_of, mark_of

ProcessorTime = Mapping[int, float]
"""Seconds by process; those of ended children are counted with their parent."""


def processor_time(root: int, mark: str, warden: int) -> dict[int, float]:
    """Of the tree below `root`, and of what left it: such processes are the warden's children, and carry the mark."""
    return dict(_times(descendants_of([root, *_strays(root, mark, warden)])))


def growth(before: ProcessorTime, after: ProcessorTime) -> float:
    """Seconds used meanwhile. A process that is new is counted whole, one that has gone not at all."""
    return sum(max(0.0, seconds - before.get(pid, 0.0)) for pid, seconds in after.items())


def _strays(root: int, mark: str, warden: int) -> list[int]:
    if not LINUX:
        return []  # orphans are not handed to the warden there
    wanted = os.fsencode(mark)
    return [pid for pid in children_of(warden) if pid != root and mark_of(pid) == wanted]


def _times(pids: list[int]) -> Iterator[tuple[int, float]]:
    import psutil

    for pid in pids:
        with contextlib.suppress(psutil.Error):
            spent = psutil.Process(pid).cpu_times()
            yield pid, spent.user + spent.system + spent.children_user + spent.children_system
