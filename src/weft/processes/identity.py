"""Tell a process from a later one that was given the same number."""

from __future__ import annotations

import asyncio
import os
from functools import cache
from pathlib import Path

import msgspec

from weft.processes.reaping import process_handle, readable
from weft.processes.warden.kernel import LINUX

POLL = 0.02


class Identity(msgspec.Struct, frozen=True):
    """A process, for good: no other will ever be equal to it."""

    pid: int
    started: str
    """Opaque; made of the boot and the moment of the process's start."""


def identity_of(pid: int) -> Identity | None:
    """None if there is no such process, or it has ended and only waits to be reaped."""
    return _from_proc(pid) if LINUX else _from_psutil(pid)


async def await_gone(pid: int, started: str) -> None:
    """Return when the process has ended; at once if it has, or if its number is another's by now."""
    handle = process_handle(pid)
    try:
        while identity_of(pid) == Identity(pid, started):
            if handle is None:
                await asyncio.sleep(POLL)
            else:
                await readable(handle)
    finally:
        if handle is not None:
            os.close(handle)


def _from_proc(pid: int) -> Identity | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = stat.rpartition(b")")[2].split()
    if fields[0] in (b"Z", b"X"):
        return None
    return Identity(pid, f"{_boot()}-{int(fields[19])}")


@cache
def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()[:8]


def _from_psutil(pid: int) -> Identity | None:
    import psutil

    try:
        return Identity(pid, f"{psutil.Process(pid).create_time():.2f}")
    except psutil.NoSuchProcess:
        return None
