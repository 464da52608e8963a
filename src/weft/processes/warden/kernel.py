"""What the kernel tells of processes."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` is slow to import, and this program must start quickly
    from collections.abc import Iterable, Iterator

LINUX = sys.platform == "linux"
MARK = b"WEFT_ATTEMPT="
CHILDREN_ARE_LISTED = os.path.exists("/proc/thread-self/children")
"""Whether this kernel lists the children of a process (CONFIG_PROC_CHILDREN)."""


def become_subreaper() -> bool:
    """Ask that orphaned descendants become children of this process; false where the system has no such thing."""
    if not LINUX:
        return False
    import ctypes

    set_child_subreaper = 36
    return bool(ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0) == 0)


def children_of(pid: int) -> list[int]:
    """The children of a process, of all its threads; empty if it is gone."""
    if not CHILDREN_ARE_LISTED:
        return [child for child, parent in process_table() if parent == pid]
    found: list[int] = []
    for thread in threads_of(pid):
        try:
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as listed:
                found.extend(map(int, listed.read().split()))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def threads_of(pid: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{pid}/task")
    except (FileNotFoundError, ProcessLookupError):
        return []


def process_table() -> Iterator[tuple[int, int]]:
    """(pid, parent) of every process, where the children of one are not listed."""
    if not LINUX:
        with os.popen("/bin/ps -A -o pid=,ppid=") as listing:  # noqa: S605
            yield from ((int(pid), int(parent)) for pid, parent in map(str.split, listing))
        return
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as stat:
                yield int(name), int(stat.read().rpartition(b")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue


def descendants_of(roots: Iterable[int]) -> list[int]:
    """The given processes and all below them, parents first."""
    found = dict.fromkeys(roots)
    ahead = list(found)
    while ahead:
        for child in children_of(ahead.pop()):
            if child not in found:
                found[child] = None
                ahead.append(child)
    return list(found)


def mark_of(pid: int) -> bytes | None:
    """The attempt a process was started for, as its environment says; none if it says nothing or may not be read."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as environ:
            marks = [entry for entry in environ.read().split(b"\0") if entry.startswith(MARK)]
    except OSError:
        return None
    return marks[0].removeprefix(MARK) if marks else None
