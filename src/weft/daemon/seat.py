"""One daemon per user: a lock that the kernel lets go of when the process dies, and who has it."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from types import TracebackType

import msgspec

from weft.errors import LockedError
from weft.processes.identity import Identity, identity_of
from weft.settings.environment import Environment
from weft.stores.folders import PRIVATE_FILE, make_folder

HINT = "`weft daemon status` shows it, `weft daemon stop` ends it"
PATIENCE = 0.3
"""Seconds to try for a seat that is taken."""


class Holder(msgspec.Struct, frozen=True):
    """The daemon that has the seat."""

    process: Identity
    since: float
    folder: str
    """Where it was started: its settings are found from there."""


class Seat:
    """The daemon's, until it is left or its process dies. The descriptor is not inherited."""

    def __init__(self, environment: Environment) -> None:
        self._path = seat_path(environment)
        make_folder(self._path.parent)
        self._fd = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, PRIVATE_FILE)
        if not _lock_soon(self._fd):
            os.close(self._fd)
            raise taken(environment)
        me = identity_of(os.getpid()) or Identity(os.getpid(), "unknown")
        content = msgspec.json.encode(Holder(me, time.time(), str(environment.folder)))
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, content, 0)

    def __enter__(self) -> Seat:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The file stays: removing it could take it from under the next one's lock."""
        fcntl.flock(self._fd, fcntl.LOCK_UN)
        os.close(self._fd)


def seat_path(environment: Environment) -> Path:
    return environment.state_folder / "daemon.lock"


def seated(environment: Environment) -> Holder | None:
    """The daemon that lives; None where there is none, or it has not said yet who it is."""
    path = seat_path(environment)
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if _lock(fd):
            return None
        return msgspec.json.decode(path.read_bytes(), type=Holder)
    except msgspec.DecodeError:
        return None
    finally:
        os.close(fd)


def taken(environment: Environment) -> LockedError:
    holder = seated(environment)
    who = f" (PID {holder.process.pid})" if holder else ""
    return LockedError(f"a daemon is running already{who}", hint=HINT)


def _lock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock_soon(fd: int) -> bool:
    """Whoever looks whether there is a daemon has the lock for a moment, and that is not to keep one from starting."""
    deadline = time.monotonic() + PATIENCE
    while not _lock(fd):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
