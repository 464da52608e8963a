"""This host and its processes, as the kernel knows them. Nothing here is imported that a quick look does not need."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import NamedTuple

LINUX = sys.platform == "linux"


class Host(NamedTuple):
    name: str
    boot_id: str | None
    """Differs from one start of the machine to the next, and between machines of one name."""
    pid_namespace: int | None


class Process(NamedTuple):
    """A living one."""

    started: int | None
    """None where the kernel does not let us see it."""


def this_host() -> Host:
    """The name is asked each time: it may change while Weft runs."""
    return Host(os.uname().nodename, _boot_id(), _pid_namespace())


@cache
def own_start(pid: int) -> int | None:
    """Of this process; the pid is asked for since a fork has another."""
    found = process(pid)
    return found.started if found else None


def process(pid: int) -> Process | None:
    """None if it has ended, be it that only its parent has not taken notice yet."""
    return _from_proc(pid) if LINUX else _from_psutil(pid)


def _from_proc(pid: int) -> Process | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # a quick look needs no pathlib
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        # `hidepid` hides other users' processes; they live all the same.
        return Process(None) if _answers(pid) else None
    return None if fields[0] in (b"Z", b"X") else Process(int(fields[19]))


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _from_psutil(pid: int) -> Process | None:
    import psutil

    try:
        found = psutil.Process(pid)
        return None if found.status() == psutil.STATUS_ZOMBIE else Process(round(found.create_time() * 100))
    except psutil.NoSuchProcess:
        return None
    except psutil.Error:
        return Process(None)


def began(pid: int) -> float | None:
    """When a living process began, by the clock; None where that cannot be known."""
    found = process(pid)
    if found is None or found.started is None:
        return None
    return _clock_at_boot() + found.started / os.sysconf("SC_CLK_TCK") if LINUX else found.started / 100


def _clock_at_boot() -> float:
    with open("/proc/stat", "rb") as file:
        return float(next(line for line in file if line.startswith(b"btime")).split()[1])


@cache
def _boot_id() -> str | None:
    if not LINUX:
        return _boot_session()
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return None


@cache
def _pid_namespace() -> int | None:
    try:
        return os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        return None


def _boot_session() -> str | None:
    """macOS: an id of its own for each start; the boot time would move with the clock."""
    import ctypes

    try:
        libc = ctypes.CDLL(None)
        found, size = ctypes.create_string_buffer(64), ctypes.c_size_t(64)
        if libc.sysctlbyname(b"kern.bootsessionuuid", found, ctypes.byref(size), None, ctypes.c_size_t(0)):
            return None
    except (OSError, AttributeError):
        return None
    return found.value.decode("ascii", "replace")
