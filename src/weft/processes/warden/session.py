"""One process started on request, and how far its end has come."""

from __future__ import annotations

import json
import os
from enum import Enum

from .kernel import LINUX


class Stage(Enum):
    RUNNING = 1
    ASKED = 2
    """Its own process was asked to end, in its own time."""
    ENDING = 3
    """It has had SIGTERM; SIGKILL comes at the deadline."""


class Session:
    """One process started on request, and all that descends from it."""

    __slots__ = ("deadline", "exit", "grace", "mark", "number", "pid", "stage", "status_file")

    def __init__(self, number: int, pid: int, status_file: bytes | None, mark: bytes | None) -> None:
        self.number = number
        self.pid = pid
        self.status_file = status_file
        self.mark = mark
        self.stage = Stage.RUNNING
        self.deadline = 0.0
        self.grace = 0.0
        """What is left when it has ended as it was asked to, has so long between SIGTERM and SIGKILL."""
        self.exit: tuple[int, int] | None = None

    def exited(self, status: int, max_rss: int) -> None:
        """Take note; a session that ended by itself leaves word of it, should Weft die before it hears the answer."""
        self.exit = os.waitstatus_to_exitcode(status), max_rss if LINUX else max_rss // 1024
        if self.status_file is not None and self.stage is Stage.RUNNING:
            write_status(self.status_file, *self.exit)


def write_status(path: bytes, status: int, max_rss: int) -> None:
    aside = path + b".new"
    try:
        with open(aside, "w") as file:
            file.write(json.dumps({"status": status, "max_rss_kb": max_rss}))
        os.rename(aside, path)
    except OSError:
        pass  # Weft still hears the answer
