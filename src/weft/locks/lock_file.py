"""A lock file as it stands on the disk, whatever is in its place."""

from __future__ import annotations

import fcntl
import os
import stat
from typing import NamedTuple

from weft.locks.faults import refused
from weft.locks.holder import Holder, decoded

_LARGEST = 65_536
"""Bytes; no lock is as long as that, and nobody's mistake shall fill the memory."""


class Seen(NamedTuple):
    """What was found at a lock's path."""

    path: str
    device: int
    inode: int
    mtime: float
    ctime: float
    data: bytes = b""
    holder: Holder | None = None
    """None: empty, corrupt, unreadable, a folder, a link: held by an unknown holder."""
    kernel_locked: bool = False
    """Whether a process that lives has the kernel lock on it."""


def look(path: str) -> Seen | None:
    """What is there, or None. Whatever it is, this neither raises nor waits, and follows no link."""
    try:
        # A fifo would make a plain open wait for ever.
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError:
        return _from_outside(path)
    try:
        return _from_inside(path, fd)
    finally:
        os.close(fd)


def _from_inside(path: str, fd: int) -> Seen:
    found = os.fstat(fd)
    data = _read(fd) if stat.S_ISREG(found.st_mode) else b""
    seen = Seen(path, found.st_dev, found.st_ino, found.st_mtime, found.st_ctime, data, decoded(data))
    return seen._replace(kernel_locked=_is_locked(fd)) if seen.holder and seen.holder.flock else seen


def _from_outside(path: str) -> Seen | None:
    try:
        found = os.stat(path, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:  # the folder cannot be searched
        raise refused(os.path.dirname(path), error) from error
    return Seen(path, found.st_dev, found.st_ino, found.st_mtime, found.st_ctime)


def _read(fd: int) -> bytes:
    try:
        data = os.read(fd, _LARGEST + 1)
    except OSError:
        return b""
    return data if len(data) <= _LARGEST else b""


def _is_locked(fd: int) -> bool:
    """Asked with a shared lock: any number of processes may look at once and none takes another for the holder."""
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True  # held; or it cannot be asked, and what is not known to be free is not free
    return False
