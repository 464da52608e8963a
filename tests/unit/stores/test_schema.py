"""Migrations: from every earlier version, whole or not at all, never under another process's feet."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from weft.errors import StoreError
from weft.model.events import CapSet
from weft.model.ids import RunId
from weft.ports import ControlRequest, RequestKind
from weft.stores import schema
from weft.stores.presence import Presence
from weft.stores.schema import MIGRATIONS, SCHEMA_VERSION, migrate, schema_version
from weft.stores.sqlite import SqliteJournal

RUN = RunId("r-1")
EVENT = '{"type":"cap_set","at":1.0,"cap":2}'


def tables(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    return connection.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "weft.db"


@pytest.fixture
def fresh() -> Iterator[list[tuple[str, str]]]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection)
        yield tables(connection)


def old_database(path: Path, version: int) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        if version:
            migrate(connection, version)
            row = (RUN, 1.0, "cap_set", 1, None, EVENT)
            connection.execute("INSERT INTO events (run, at, type, version, job, body) VALUES (?, ?, ?, ?, ?, ?)", row)


@pytest.mark.parametrize("version", range(SCHEMA_VERSION))
async def test_from_every_earlier_version(database: Path, version: int, fresh: list[tuple[str, str]]) -> None:
    """An older database opens as if it had always been new, and keeps what it holds."""
    old_database(database, version)
    with SqliteJournal(database) as journal:
        assert [entry.event for entry in journal.read(RUN)] == [CapSet(at=1.0, cap=2)] * bool(version)
        journal.ask(RUN, ControlRequest(RequestKind.PAUSE))
        assert await journal.take_requests(RUN) == [ControlRequest(RequestKind.PAUSE)]
    with closing(sqlite3.connect(database)) as connection:
        assert schema_version(connection) == SCHEMA_VERSION
        assert tables(connection) == fresh
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_there_is_more_than_one_version() -> None:
    """The test above means something: there are earlier versions, numbered without a gap."""
    names = sorted(path.name for path in schema.FOLDER.glob("*.sql"))
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))
    assert SCHEMA_VERSION == len(names) >= 2


def test_failing_one_leaves_the_version_before(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A migration that breaks off changes nothing."""
    old_database(database, 1)
    monkeypatch.setattr(
        schema, "MIGRATIONS", (*MIGRATIONS[:1], "CREATE TABLE half (a); INSERT INTO nowhere VALUES (1);")
    )
    with pytest.raises(StoreError, match="nowhere"):
        SqliteJournal(database)
    with closing(sqlite3.connect(database)) as connection:
        assert schema_version(connection) == 1
        assert "half" not in dict(tables(connection))


def test_newer_database_is_refused(database: Path) -> None:
    """A database of a newer Weft is left alone; the message has the file and both versions."""
    old_database(database, SCHEMA_VERSION)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    before = database.read_bytes()
    with pytest.raises(StoreError, match=f"newer Weft.*{SCHEMA_VERSION + 1}") as caught:
        SqliteJournal(database)
    assert str(database) in caught.value.message
    assert "upgrade" in (caught.value.hint or "")
    assert database.read_bytes() == before


def test_database_of_another_program_is_refused(database: Path) -> None:
    """Weft's tables are not put into somebody else's database."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE songs (title)")
    before = database.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        SqliteJournal(database)
    assert database.read_bytes() == before


def test_open_elsewhere_is_not_migrated(database: Path) -> None:
    """A newer Weft does not migrate while another process has the database open; it says so."""
    old_database(database, 1)
    with closing(Presence(database)) as other:
        assert other.share()
        with pytest.raises(StoreError, match="another Weft process has it open") as caught:
            SqliteJournal(database, patience=0.05)
        assert caught.value.hint
    with closing(sqlite3.connect(database)) as connection:
        assert schema_version(connection) == 1
    SqliteJournal(database, patience=0.05).close()


def test_open_journal_counts_as_presence(database: Path) -> None:
    """Who has the journal open keeps migrators out, until it is closed."""
    with closing(Presence(database)) as migrator:
        with SqliteJournal(database):
            assert not migrator.take_alone()
        assert migrator.take_alone()


def test_failed_opening_leaves_no_presence(database: Path) -> None:
    """One who could not open the database does not keep others from it."""
    database.write_bytes(b"not a database at all" * 100)
    with pytest.raises(StoreError):
        SqliteJournal(database)
    with closing(Presence(database)) as migrator:
        assert migrator.take_alone()
