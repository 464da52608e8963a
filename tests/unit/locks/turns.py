"""Actors that share a lock folder and go on one system call at a time, in an order that a test chooses.

They run the real code on the real file system, each in a thread of its own; kernel locks belong to open files, so that
threads keep one another out just as processes do.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any
from unittest.mock import patch

CALLS: tuple[tuple[ModuleType, str], ...] = (
    *((os, name) for name in ("open", "close", "read", "write", "link", "rename", "unlink", "stat", "fstat")),
    (fcntl, "flock"),
    (time, "sleep"),
)


class Killed(BaseException):
    """As kill -9 would: nothing more of the actor's code has any effect."""


class Actor:
    def __init__(self, act: Callable[[], None]) -> None:
        self._act = act
        self._may_go, self._stands = threading.Semaphore(0), threading.Semaphore(0)
        self._killed = False
        self._open: set[int] = set()
        self.closed: set[int] = set()
        """What was open when it was killed."""
        self.done = False
        self.error: BaseException | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self.thread.start()
        self._stands.acquire()

    def step(self) -> None:
        """One system call, up to the next one."""
        self._may_go.release()
        self._stands.acquire()

    def kill(self) -> None:
        self._killed = True
        self.step()

    def call(self, name: str, real: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Wait for a turn, then do it."""
        if not self._killed:
            self._stands.release()
            self._may_go.acquire()
        if self._killed:
            raise Killed
        result = real(*args, **options)
        if name == "open":
            self._open.add(result)
        if name == "close":
            self._open.discard(args[0])
        return result

    def _run(self) -> None:
        self._stands.release()
        self._may_go.acquire()
        try:
            self._act()
        except Killed:
            pass
        except BaseException as error:
            self.error = error
        if self._killed:
            self._close_all()
        self.done = True
        self._stands.release()

    def _close_all(self) -> None:
        """The kernel does it when a process dies."""
        for fd in self._open:
            REAL["os.close"](fd)
        self.closed = self._open


REAL = {f"{module.__name__}.{name}": getattr(module, name) for module, name in CALLS}


@contextmanager
def stepping(actors: list[Actor]) -> Iterator[None]:
    """While this lasts, the system calls of the actors wait for their turns."""
    patches = [patch.object(module, name, _stepped(module, name, actors)) for module, name in CALLS]
    for each in patches:
        each.start()
    try:
        for actor in actors:
            actor.start()
        yield
    finally:
        _finish(actors)
        for each in patches:
            each.stop()


def _finish(actors: list[Actor]) -> None:
    """In turns: one may wait for what another has."""
    while waiting := [actor for actor in actors if not actor.done]:
        for actor in waiting:
            actor.step()


def _stepped(module: ModuleType, name: str, actors: list[Actor]) -> Callable[..., Any]:
    real = REAL[f"{module.__name__}.{name}"]

    def call(*args: Any, **options: Any) -> Any:
        actor = next((each for each in actors if each.thread is threading.current_thread()), None)
        return real(*args, **options) if actor is None else actor.call(name, real, *args, **options)

    return call
