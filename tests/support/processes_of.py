"""Processes that a test started, found by the folder it works in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from weft.processes import identity_of


def processes_of(root: Path) -> list[int]:
    """Those that have the folder in their command line, environment or working directory, but for this one."""
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    return [pid for pid in pids if pid != os.getpid() and _is_of(pid, os.fsencode(root))]


def _is_of(pid: int, mark: bytes) -> bool:
    return identity_of(pid) is not None and any(mark in told for told in _told(pid))


def _told(pid: int) -> Iterator[bytes]:
    for name in ("cmdline", "environ"):
        try:
            yield Path(f"/proc/{pid}/{name}").read_bytes()
        except OSError:
            continue
    try:
        yield os.fsencode(Path(f"/proc/{pid}/cwd").readlink())
    except OSError:
        return
