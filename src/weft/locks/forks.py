"""Descriptors whose kernel lock must end with this process: a fork of it closes its copies.

Programs that are started do not inherit them (O_CLOEXEC). But a child that was forked and goes on as Python would keep
the lock of a parent that was killed, and nobody could tell it from the living one.
"""

from __future__ import annotations

import contextlib
import os

_descriptors: set[int] = set()


def keep(fd: int) -> None:
    _descriptors.add(fd)


def close(fd: int) -> None:
    _descriptors.discard(fd)
    os.close(fd)


def forget(fds: set[int]) -> None:
    """For what others have closed."""
    _descriptors.difference_update(fds)


def _close_in_fork() -> None:
    for fd in _descriptors:
        with contextlib.suppress(OSError):
            os.close(fd)
    _descriptors.clear()


os.register_at_fork(after_in_child=_close_in_fork)
