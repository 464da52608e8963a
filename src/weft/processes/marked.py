"""Find and end the processes of a dead run, by the mark in their environment."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from weft.processes.identity import Identity, identity_of
from weft.processes.reaping import process_handle
from weft.processes.warden.kernel import LINUX, descendants_of, mark_of

PAUSE = 0.02


def find_marked(run: str) -> list[tuple[int, str]]:
    """(pid, mark) of this user's processes that were started for an attempt of `run`, but for our own ancestors."""
    ours = set(ancestors())
    return [(pid, mark) for pid, mark in _marks() if pid not in ours and (mark == run or mark.startswith(f"{run}/"))]


async def end_marked(run: str, grace: float) -> None:
    """End the processes of `run` and all below them: SIGTERM, and SIGKILL after `grace` seconds."""
    known: dict[int, Identity] = {}
    deadline = time.monotonic() + grace
    await asyncio.to_thread(_pass, run, known, signal.SIGTERM)
    while known:
        await asyncio.sleep(PAUSE)
        sig = signal.SIGKILL if time.monotonic() >= deadline else None
        await asyncio.to_thread(_pass, run, known, sig)


def _pass(run: str, known: dict[int, Identity], sig: signal.Signals | None) -> None:
    """Look again who is there, and signal each; once known, a process is kept in view until it is gone."""
    for pid in [pid for pid, identity in known.items() if identity_of(pid) != identity]:
        del known[pid]
    for pid in descendants_of([*known, *(pid for pid, _ in find_marked(run))]):
        identity = known.get(pid) or identity_of(pid)
        if identity is not None and (sig is None or _signal(identity, sig)):
            known[pid] = identity


def _signal(target: Identity, sig: signal.Signals) -> bool:
    """Signal exactly this process; false if it is beyond us."""
    handle = process_handle(target.pid)
    try:
        if identity_of(target.pid) == target:
            _send(target.pid, handle, sig)
            _send(target.pid, handle, signal.SIGCONT)
    except PermissionError:
        return False
    finally:
        if handle is not None:
            os.close(handle)
    return True


def _send(pid: int, handle: int | None, sig: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        if handle is None:
            os.kill(pid, sig)
        else:
            signal.pidfd_send_signal(handle, sig)


def _marks() -> Iterator[tuple[int, str]]:
    if not LINUX:
        yield from _marks_by_psutil()
        return
    for pid in [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdecimal()]:
        if _is_ours(pid) and (mark := mark_of(pid)):
            yield pid, os.fsdecode(mark)


def _is_ours(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}").stat().st_uid == os.geteuid()
    except OSError:
        return False


def _marks_by_psutil() -> Iterator[tuple[int, str]]:
    import psutil

    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.uids().effective == os.geteuid() and (mark := process.environ().get("WEFT_ATTEMPT")):
                yield process.pid, mark


def ancestors() -> Iterable[int]:
    """This process and those above it: a Weft that an agent started must not end itself."""
    import psutil

    with contextlib.suppress(psutil.Error):
        yield from (process.pid for process in psutil.Process().parents())
    yield os.getpid()
