"""The database's schema, one numbered file per version, and bringing an older database up to it."""

from __future__ import annotations

import random
import sqlite3
import time
from pathlib import Path

from weft.errors import StoreError
from weft.stores.database import connect
from weft.stores.faults import told
from weft.stores.presence import Presence

FOLDER = Path(__file__).with_name("migrations")
MIGRATIONS = tuple(path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("[0-9]*.sql")))
SCHEMA_VERSION = len(MIGRATIONS)


def schema_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, to: int = SCHEMA_VERSION) -> None:
    """Bring the schema to version `to`, wholly or not at all."""
    script = "\n".join(MIGRATIONS[schema_version(connection) : to])
    try:
        connection.executescript(f"BEGIN IMMEDIATE;\n{script}\nPRAGMA user_version = {to};\nCOMMIT;")
    except sqlite3.Error:
        if connection.in_transaction:
            connection.rollback()
        raise


def use_wal(connection: sqlite3.Connection) -> None:
    """Readers and the writer do not wait for each other. Kept in the file, so not before it is known to be Weft's."""
    connection.execute("PRAGMA journal_mode = WAL").close()


def settle_schema(path: Path, presence: Presence, patience: float) -> None:
    """Have the database at this Weft's version and `presence` shared, or say why that cannot be."""
    connection = connect(path, patience)
    try:
        with told(path):
            _settle(connection, path, presence, time.monotonic() + patience)
            use_wal(connection)
    finally:
        connection.close()


def _settle(connection: sqlite3.Connection, path: Path, presence: Presence, deadline: float) -> None:
    while not _try_settle(connection, path, presence):
        presence.leave()
        if time.monotonic() > deadline:
            raise StoreError(
                f"the database `{path}` needs an upgrade, but another Weft process has it open",
                hint="let the other Weft processes end, then try again",
            )
        # Two who begin with an empty folder at once must not keep each other out for good.
        time.sleep(random.uniform(0.005, 0.05))  # noqa: S311


def _try_settle(connection: sqlite3.Connection, path: Path, presence: Presence) -> bool:
    if not presence.share():
        return False
    if _is_current(connection, path):
        return True
    if not presence.take_alone():
        return False
    if not _is_current(connection, path):
        use_wal(connection)
        migrate(connection)
    return presence.share()


def _is_current(connection: sqlite3.Connection, path: Path) -> bool:
    found = schema_version(connection)
    if found > SCHEMA_VERSION:
        raise StoreError(
            f"the database `{path}` was made by a newer Weft: its version is {found}, this one knows {SCHEMA_VERSION}",
            hint="upgrade Weft, or set `WEFT_HOME` to another folder",
        )
    if found == 0:
        _refuse_foreign(connection, path)
    return found == SCHEMA_VERSION


def _refuse_foreign(connection: sqlite3.Connection, path: Path) -> None:
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise StoreError(f"`{path}` is a database of another program", hint="move it away, or set `WEFT_HOME`")
