"""A short transaction of its own, for what several processes decide among themselves."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from weft.stores.database import connect
from weft.stores.faults import told

PATIENCE = 30.0
"""Seconds to wait for a lock that another process holds."""


@contextmanager
def transaction(path: Path) -> Iterator[sqlite3.Connection]:
    """Nobody else writes meanwhile; what raises leaves the database as it was."""
    connection = connect(path, PATIENCE)
    try:
        with told(path):
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
    finally:
        connection.close()
