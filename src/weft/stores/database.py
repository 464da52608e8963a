"""Opening the database file: modes, pragmas, connections."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from weft.stores.faults import refused, told
from weft.stores.folders import PRIVATE_FILE, make_folder


def make_private(path: Path) -> None:
    """See that the file exists and is the user's alone; WAL files take the mode of their database."""
    make_folder(path.parent)
    try:
        # Never open a database that exists but through SQLite: closing such a descriptor drops this process's locks.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, PRIVATE_FILE))
    except FileExistsError:
        return
    except OSError as error:
        raise refused(path.parent, error) from error


def connect(path: Path, patience: float) -> sqlite3.Connection:
    """A connection that waits `patience` seconds for locks and whose commits are on disk when they return."""
    with told(path):
        # Never create: an empty database in place of one that went away would look as if nothing had ever happened.
        address = f"{path.absolute().as_uri()}?mode=rw"
        connection = sqlite3.connect(
            address, uri=True, timeout=patience, isolation_level=None, check_same_thread=False, cached_statements=64
        )
        try:
            connection.execute("PRAGMA synchronous = FULL").close()
            # On macOS a plain fsync stops at the drive's cache; elsewhere this changes nothing.
            connection.execute("PRAGMA fullfsync = ON").close()
        except sqlite3.Error:
            connection.close()
            raise
        return connection
