"""How much memory sessions use, each with all that it started."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from pathlib import Path

from weft.processes.warden.kernel import LINUX, children_of, descendants_of, mark_of


def memory_by_mark(warden: int) -> Counter[str]:
    """Bytes by attempt. What left its tree is the warden's child, and carries the mark like any other."""
    used: Counter[str] = Counter()
    for child in children_of(warden):
        mark = _mark(child)
        if mark:
            used[mark] += sum(map(_resident, descendants_of([child])))
    return used


def _mark(pid: int) -> str:
    if LINUX:
        return os.fsdecode(mark_of(pid) or b"")
    import psutil

    with contextlib.suppress(psutil.Error):
        return str(psutil.Process(pid).environ().get("WEFT_ATTEMPT", ""))
    return ""


def _resident(pid: int) -> int:
    if LINUX:  # one small file, where psutil reads several
        with contextlib.suppress(OSError, ValueError, IndexError):
            return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        return 0
    import psutil

    with contextlib.suppress(psutil.Error):
        return int(psutil.Process(pid).memory_info().rss)
    return 0
