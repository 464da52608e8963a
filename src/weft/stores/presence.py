"""Who has the database open, told by a shared lock on `<database>.open`; who migrates it needs the lock alone."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from weft.stores.faults import refused
from weft.stores.folders import PRIVATE_FILE


class Presence:
    """This process's part in the lock; the kernel lets go of it when the process dies."""

    def __init__(self, database: Path) -> None:
        try:
            self._fd = os.open(f"{database}.open", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, PRIVATE_FILE)
        except OSError as error:
            raise refused(database.parent, error) from error

    def share(self) -> bool:
        """Be one of those who have it open; false while someone migrates it."""
        return self._lock(fcntl.LOCK_SH)

    def take_alone(self) -> bool:
        """Be the only one; false while anyone has it open."""
        return self._lock(fcntl.LOCK_EX)

    def leave(self) -> None:
        fcntl.flock(self._fd, fcntl.LOCK_UN)

    def close(self) -> None:
        self.leave()
        os.close(self._fd)

    def _lock(self, kind: int) -> bool:
        try:
            fcntl.flock(self._fd, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
