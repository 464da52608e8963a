"""The folder of a repo's locks."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import NamedTuple

from weft.locks.draft import sweep
from weft.locks.faults import refused
from weft.locks.host import this_host
from weft.locks.names import SUFFIX
from weft.locks.staleness import REMOTE_TTL, Rules

INSIDE = ".weft/locks"


class LockFolder(NamedTuple):
    path: str
    remote_ttl: float = REMOTE_TTL
    also: tuple[str, ...] = ()
    """Folders of another tool's locks, to honour and to write to (LOCK-14)."""
    bypassed: bool = False
    """Every operation does nothing and succeeds: the caller coordinates by itself (LOCK-10)."""

    def file(self, name: str) -> str:
        return os.path.join(self.path, name + SUFFIX)

    def rules(self) -> Rules:
        return Rules(this_host(), time.time(), self.remote_ttl)

    def ensure(self) -> None:
        """Make it; LockFolderError where locks cannot be written to it."""
        if self.bypassed:
            return
        for folder in (self.path, *self.also):
            ensure(folder)


def ensure(folder: str) -> None:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise refused(folder, error) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise refused(folder, PermissionError(0, "Permission denied"))
    sweep(folder)


def lock_folder(main_checkout: Path, override: str | None = None) -> Path:
    """`.weft/locks` of the main checkout, or where `WEFT_LOCKS_DIR` says. A relative one is meant from the main
    checkout: whoever works on one repo, from whichever of its worktrees, must come to the same folder.
    """
    return main_checkout / (Path(override).expanduser() if override else INSIDE)
