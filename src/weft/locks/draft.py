"""A lock file in the making: whole and kernel-locked before it has the name by which others find it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time

from weft.locks import forks

PREFIX, SUFFIX = ".", ".new"
"""Nothing but a lock ends in `.lock`."""
_LEFT_BEHIND = 60.0
"""Seconds after which a draft that nobody has locked is what a killed process left."""


class Draft:
    """Has the kernel lock from its first moment, so that nobody ever sees the lock file without."""

    def __init__(self, folder: str, name: str, content: bytes) -> None:
        self.path = os.path.join(folder, f"{PREFIX}{name}.{os.getpid()}.{os.urandom(4).hex()}{SUFFIX}")
        self.fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        forks.keep(self.fd)
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.write(self.fd, content) != len(content):
                raise OSError(28, "No space left on device")
        except BaseException:
            self.discard()
            raise

    def link(self, path: str) -> bool:
        """Be the lock at `path`, unless there is one."""
        try:
            os.link(self.path, path)
        except FileExistsError:
            # A network file system may have done it and then lost the answer.
            if not self._is_at(path):
                return False
        self._remove()
        return True

    def replace(self, path: str) -> None:
        """Be the lock at `path` instead of what is there. For the guard's holder alone."""
        try:
            os.rename(self.path, path)
        except (IsADirectoryError, NotADirectoryError):
            os.rename(path, f"{path}.{os.urandom(4).hex()}.aside")  # a folder may hold what matters
            os.rename(self.path, path)

    def discard(self) -> None:
        self._remove()
        forks.close(self.fd)

    def _remove(self) -> None:
        with contextlib.suppress(OSError):
            os.unlink(self.path)

    def _is_at(self, path: str) -> bool:
        try:
            return os.path.samestat(os.fstat(self.fd), os.stat(path, follow_symlinks=False))
        except OSError:
            return False


def sweep(folder: str) -> None:
    """Take away what killed processes left; a draft that someone is writing is locked."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and entry.name.endswith(SUFFIX):
                _sweep_one(entry.path)


def _sweep_one(path: str) -> None:
    with contextlib.suppress(OSError):
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if time.time() - os.fstat(fd).st_mtime > _LEFT_BEHIND:
                # Shared: whoever looks at a lock that is this very file must not take us for its holder.
                fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
                os.unlink(path)
        finally:
            os.close(fd)
