"""What to start, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec


class Launch(msgspec.Struct, frozen=True):
    """A program to start under the warden. Its output is appended to a file and followed from there."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    """The whole environment; `WEFT_ATTEMPT` among it tells later to whom the process belongs."""
    stdout: Path
    stdin: Path | None = None
    """None: nothing to read."""
    stderr: Path | None = None
    """None: the same as `stdout`."""
    status_file: Path | None = None
    """Where the warden leaves word if the program ends by itself; see `read_status`."""


class Exit(msgspec.Struct, frozen=True):
    """The end of a process, after the last of its descendants is gone."""

    status: int
    """Negative: the signal that ended it."""
    max_rss_kb: int
    warden_died: bool = False
    """The warden was killed, and this process with it; `status` then says nothing of the program."""


def read_status(path: Path) -> Exit | None:
    """How a session ended by itself, as its `status_file` says; None if it did not, or was stopped."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Exit)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
