"""What the daemon says: one line per event with its time, in its log and, in the foreground, on stderr."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from weft.board.plain import plain
from weft.board.times import iso_time
from weft.settings.environment import Environment
from weft.stores.folders import PRIVATE_FILE, make_folder

LARGEST = 5_000_000
"""Bytes; then the log begins anew, and one older one is kept."""


def log_path(environment: Environment) -> Path:
    return environment.state_folder / "daemon.log"


class Log:
    def __init__(self, environment: Environment, *, aloud: bool) -> None:
        self._path = log_path(environment)
        self._aloud = aloud
        make_folder(self._path.parent)

    def __call__(self, text: str) -> None:
        """Each line of the text on its own; nothing in it can look like another line of the log."""
        at = iso_time(time.time())
        lines = "".join(f"{at} {plain(line)}\n" for line in text.splitlines() if line.strip())
        self._write(lines)
        if self._aloud:
            sys.stderr.write(lines)
            sys.stderr.flush()

    def _write(self, lines: str) -> None:
        """Opened each time: whoever moves the log away does not take it from the daemon."""
        if self._path.exists() and self._path.stat().st_size > LARGEST:
            self._path.replace(self._path.with_suffix(".log.1"))
        self._path.touch(mode=PRIVATE_FILE)
        with self._path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(lines)
