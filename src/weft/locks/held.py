"""A lock that this process holds, and the ways it may find that it no longer does."""

from __future__ import annotations

import contextlib
import fcntl
import os
from types import TracebackType

from weft.errors import LockFolderError
from weft.locks import forks
from weft.locks.guard import guarded
from weft.locks.holder import Holder
from weft.locks.neighbour import NeighbourLock


class HeldLock:
    """Held until `release`, or until this process dies: the kernel lock is on the very file that names it."""

    def __init__(self, name: str, path: str, holder: Holder, fd: int, content: bytes) -> None:
        self.name = name
        self.path = path
        self.holder = holder
        self._fd: int | None = fd
        self._process = os.getpid()
        self._content = content
        self._neighbours: list[NeighbourLock] = []

    def __enter__(self) -> HeldLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def still_mine(self) -> bool:
        """To be asked before every write to the repo (LOCK-7): the path names this very file, nobody wrote to it, and
        the kernel lock on it is ours.
        """
        if self._fd is None or self._process != os.getpid():
            return False
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return self._is_at_path() and os.pread(self._fd, len(self._content) + 1, 0) == self._content
        except OSError:
            return False

    def renew(self) -> None:
        """Say that the holder lives, to other hosts; every minute. Touches nobody else's lock."""
        if self._fd is not None and self._process == os.getpid():
            with contextlib.suppress(OSError):
                os.utime(self._fd)

    def add(self, neighbour: NeighbourLock) -> None:
        """Another tool's lock that goes with this one."""
        self._neighbours.append(neighbour)

    def leave(self) -> None:
        """Let the file stand for a process that keeps no kernel lock."""
        fd, self._fd = self._fd, None
        if fd is not None:
            _let_go(fd)

    def release(self) -> None:
        """Give it back; another's is left alone. Never fails: a file that cannot be removed is stale from now on."""
        if self._fd is None:
            return
        fd, self._fd = self._fd, None
        if self._process != os.getpid():  # a fork's copy: its descriptor was closed when it began
            return
        for neighbour in reversed(self._neighbours):
            neighbour.remove()
        with contextlib.suppress(OSError, LockFolderError), guarded(os.path.dirname(self.path)):
            if self._is_at_path(fd):
                os.unlink(self.path)
        _let_go(fd)

    def _is_at_path(self, fd: int | None = None) -> bool:
        opened = os.fstat(fd if fd is not None else self._fd or 0)
        return os.path.samestat(opened, os.stat(self.path, follow_symlinks=False))


class NoLock(HeldLock):
    """What `acquire` answers where the caller coordinates by itself (LOCK-10): no file, and always ours."""

    def __init__(self, name: str, path: str, holder: Holder) -> None:
        self.name = name
        self.path = path
        self.holder = holder
        self._fd = None

    def still_mine(self) -> bool:
        return True


def _let_go(fd: int) -> None:
    # A child that is just being started has a copy of the descriptor: closing alone would not let go.
    with contextlib.suppress(OSError):
        fcntl.flock(fd, fcntl.LOCK_UN)
    forks.close(fd)
