"""Telling the holder of a lock to stop (LOCK-8): exactly that process, or none."""

from __future__ import annotations

import os
import signal
from enum import Enum

from weft.locks.host import this_host
from weft.locks.names import label
from weft.locks.staleness import is_process_of, same_host
from weft.locks.state import LockState


class SignalOutcome(Enum):
    """The value is what the user is told."""

    SIGNALED = "Signaled PID {pid} (SIGTERM) for {issue}"
    CROSS_HOST = "Could not signal PID {pid} for {issue} (cross-host holder)"
    REFUSED = "Refused to signal PID {pid} for {issue} (matches this process or its parent)"
    EXITED = "Could not signal PID {pid} for {issue} (already exited)"
    FAILED = "Could not signal PID {pid} for {issue} (kill syscall failed)"

    def text(self, state: LockState) -> str:
        pid = state.holder.pid if state.holder else "unknown"
        return self.value.format(pid=pid, issue=label(state.name))


def signal_holder(state: LockState) -> SignalOutcome:
    """SIGTERM, where the holder is on this host, alive, and neither this process nor its parent."""
    holder, here = state.holder, this_host()
    if holder is None or not same_host(holder, here):
        return SignalOutcome.CROSS_HOST
    if holder.pid in (os.getpid(), os.getppid()):
        return SignalOutcome.REFUSED
    if None not in (holder.boot_id, here.boot_id) and holder.boot_id != here.boot_id:
        return SignalOutcome.EXITED
    if None not in (holder.pid_namespace, here.pid_namespace) and holder.pid_namespace != here.pid_namespace:
        return SignalOutcome.CROSS_HOST
    return _signal(state)


def _signal(state: LockState) -> SignalOutcome:
    assert state.holder is not None
    pid = state.holder.pid
    try:
        handle = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None
    except ProcessLookupError:
        return SignalOutcome.EXITED
    except OSError:
        handle = None  # an older kernel
    try:
        # With the handle open, the number cannot become another's between this look and the signal.
        return _send(pid, handle) if is_process_of(state.holder, pid) else SignalOutcome.EXITED
    finally:
        if handle is not None:
            os.close(handle)


def _send(pid: int, handle: int | None) -> SignalOutcome:
    try:
        if handle is None:
            os.kill(pid, signal.SIGTERM)
        else:
            signal.pidfd_send_signal(handle, signal.SIGTERM)
    except ProcessLookupError:
        return SignalOutcome.EXITED
    except OSError:
        return SignalOutcome.FAILED
    return SignalOutcome.SIGNALED
