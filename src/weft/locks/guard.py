"""The guard of a lock folder: whoever removes or replaces a lock file holds it, for some microseconds.

A lock file comes into being by `link`, which fails where one exists; that needs no guard. All else does. So what the
guard's holder has seen at a lock's path stays there until it acts itself, and it cannot take away what it has not seen.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from weft.locks import forks
from weft.locks.faults import refused

NAME = "guard"
PATIENCE = 3.0
"""Seconds. Only a process that was stopped in the midst of it keeps the guard for longer than an instant."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.000_05, 0.005


@contextmanager
def guarded(folder: str) -> Iterator[None]:
    """Alone among all threads and processes with this folder."""
    fd = _taken(folder)
    forks.keep(fd)
    try:
        yield
    finally:
        # A child that is just being started has a copy of the descriptor: closing alone would not let go.
        fcntl.flock(fd, fcntl.LOCK_UN)
        forks.close(fd)


def _taken(folder: str) -> int:
    path, deadline, pause = os.path.join(folder, NAME), time.monotonic() + PATIENCE, _FIRST_PAUSE
    while (fd := _try(folder, path)) is None:
        if time.monotonic() > deadline:
            raise refused(folder, TimeoutError(0, f"another process has kept `{NAME}` for {PATIENCE:g} s"))
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)
    return fd


def _try(folder: str, path: str) -> int | None:
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise refused(folder, error) from error
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(fd), os.stat(path, follow_symlinks=False)):
            return fd
    except (BlockingIOError, FileNotFoundError):  # another has it; or someone removed the file under our feet
        pass
    except OSError as error:
        os.close(fd)
        raise refused(folder, error) from error
    os.close(fd)
    return None
