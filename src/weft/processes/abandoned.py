"""End what is left where a Weft and its warden were killed together.

A daemon that cleared its environment has no mark any more, but the tag of its session it cannot shed. One that carries
a tag and has no living warden above it is nobody's.
"""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import time
from pathlib import Path

from weft.processes.identity import Identity, identity_of
from weft.processes.marked import ancestors
from weft.processes.warden.kernel import LINUX
from weft.processes.warden.tags import Tags

PAUSE = 0.02
WARDEN = b"weft/processes/warden"
"""How the path of a warden's program ends, whichever installation it is of."""
FINEST = 1 << 14
"""What all tags are multiples of, those of a Weft that runs under another Weft's warden included."""
FARTHEST = 1 << 60
"""Tags lie near the top; audio servers and the like have a limit of the same kind, but a small one."""


def find_abandoned() -> list[Identity]:
    """This user's processes that carry a warden's tag and have no warden; not ourselves and those above us."""
    if not LINUX:
        return []
    ours = set(ancestors())
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    tagged = [pid for pid in pids if pid not in ours and _is_ours(pid) and _is_tagged(pid)]
    found = [identity_of(pid) for pid in tagged if not _has_warden(pid)]
    # Looked at twice: what is just handed from one parent to the next may seem to have none.
    return [each for each in found if each is not None and not _has_warden(each.pid)]


async def end_abandoned(grace: float) -> None:
    """SIGTERM, and SIGKILL after `grace` seconds, until there is none."""
    deadline = time.monotonic() + grace
    told: set[Identity] = set()
    while found := await asyncio.to_thread(find_abandoned):
        late = time.monotonic() >= deadline
        for each in found:
            if late or each not in told:
                _signal(each, signal.SIGKILL if late else signal.SIGTERM)
        told.update(found)
        await asyncio.sleep(PAUSE)


def _is_ours(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}").stat().st_uid == os.geteuid()
    except OSError:
        return False


def _is_tagged(pid: int) -> bool:
    try:
        soft, hard = resource.prlimit(pid, resource.RLIMIT_RTTIME)
    except OSError:
        return False
    below = Tags.TOP - hard
    return soft == hard and 0 < below < FARTHEST and below % FINEST == 0


def _has_warden(pid: int) -> bool:
    """Whether one is above it; also where that cannot be told."""
    while pid > 1:
        try:
            stat = Path(f"/proc/{pid}/stat").read_bytes()
            program = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").rpartition(b"\0")[2]
        except OSError:
            return True
        if program.endswith(WARDEN):
            return True
        pid = int(stat.rpartition(b")")[2].split()[1])
    return False


def _signal(target: Identity, sig: signal.Signals) -> None:
    try:
        handle = os.pidfd_open(target.pid)
    except OSError:
        return
    try:
        if identity_of(target.pid) == target:
            signal.pidfd_send_signal(handle, sig)
            signal.pidfd_send_signal(handle, signal.SIGCONT)
    except OSError:
        return  # gone, or beyond us
    finally:
        os.close(handle)
