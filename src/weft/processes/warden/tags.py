"""Numbers that a session and all its descendants carry, as a resource limit."""

from __future__ import annotations

import os
import resource
import signal

from .kernel import LINUX


class Tags:
    """Numbers, from 1 up, that sessions and all their descendants carry as a resource limit."""

    TOP = 1 << 62

    def __init__(self) -> None:
        hard = _rttime(0)
        self.base = self.TOP if hard is None or hard < 0 else min(hard, self.TOP)
        self.step = 1
        self.usable = LINUX
        """False where limits cannot be set: then only the marks in their environment tell orphans apart."""
        if self.base == self.TOP:
            self.step = 1 << 36
        elif self.base % (1 << 36) == 0:
            self.step = 1 << 14

    def wear(self, number: int) -> None:
        """Let the processes started from now on carry this number; it can only grow."""
        limit = self.base - number * self.step
        try:
            resource.setrlimit(resource.RLIMIT_RTTIME, (limit, limit))
        except (AttributeError, OSError, ValueError, OverflowError):
            self.usable = False

    def read(self, pid: int) -> int:
        """The number a process carries; 0 if none, or if it may not be asked."""
        limit = _rttime(pid) if self.usable else None
        if limit is None or limit < 0 or limit > self.base:
            return 0
        return (self.base - limit) // self.step


def _rttime(pid: int) -> int | None:
    if not LINUX:
        return None
    try:
        return resource.prlimit(pid, resource.RLIMIT_RTTIME)[1]
    except OSError:
        return None


def signal_exactly(pid: int, sig: signal.Signals, tags: Tags) -> None:
    """Signal a process below the warden unless its number was given to another meanwhile."""
    handle = _handle(pid)
    try:
        if tags.usable and not tags.read(pid):
            return
        if handle is None:
            os.kill(pid, sig)
        else:
            signal.pidfd_send_signal(handle, sig)
    except OSError:
        return  # gone, or beyond us
    finally:
        if handle is not None:
            os.close(handle)


def _handle(pid: int) -> int | None:
    """What stands for this very process, where the kernel has that."""
    try:
        return os.pidfd_open(pid) if LINUX else None
    except OSError:
        return None
