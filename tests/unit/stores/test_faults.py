"""A database that cannot be used: a clear message, nothing lost, the run can go on after (RECOVER-6)."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from weft.errors import ExitCode, StoreError
from weft.model.events import CapSet
from weft.model.ids import RunId
from weft.ports import ControlRequest, RequestKind
from weft.stores.sqlite import SqliteJournal

RUN = RunId("r-1")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "state" / "weft.db"


def cap(number: int) -> CapSet:
    return CapSet(at=0.0, cap=number)


async def test_locked_for_long(database: Path) -> None:
    """A lock held longer than the patience is an error that names the file; after it, appending works again."""
    with SqliteJournal(database, patience=0.05) as journal, closing(sqlite3.connect(database)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="stayed locked") as caught:
            await journal.append(RUN, [cap(1)])
        assert str(database) in caught.value.message
        assert caught.value.exit_code is ExitCode.FAILED
        assert caught.value.hint
        other.rollback()
        await journal.append(RUN, [cap(2)])
        assert [entry.event for entry in journal.read(RUN)] == [cap(2)]


async def test_locked_for_a_while(database: Path) -> None:
    """A lock that is let go in time is only waited for; reading does not wait for it."""
    with SqliteJournal(database) as journal, closing(sqlite3.connect(database)) as other:
        await journal.append(RUN, [cap(1)])
        other.execute("BEGIN IMMEDIATE")
        waiting = asyncio.create_task(journal.append(RUN, [cap(2)]))
        await asyncio.sleep(0)
        assert [entry.event for entry in journal.read(RUN)] == [cap(1)]
        assert not waiting.done()
        other.rollback()
        await waiting
        assert [entry.event for entry in journal.read(RUN)] == [cap(1), cap(2)]


@pytest.mark.parametrize("content", [b"nothing like a database" * 500, b"SQLite format 3\0" + b"\xff" * 8000])
def test_corrupt_header(database: Path, content: bytes) -> None:
    """A file that is no database is named and left as it is."""
    database.parent.mkdir()
    database.write_bytes(content)
    with pytest.raises(StoreError, match="damaged") as caught:
        SqliteJournal(database)
    assert str(database) in caught.value.message
    assert ".recover" in (caught.value.hint or "")
    assert database.read_bytes() == content


async def test_corrupt_page(database: Path) -> None:
    """Damage within the file is told by whoever meets it, in reading and in writing, and changes nothing."""
    with SqliteJournal(database) as journal:
        await journal.append(RUN, [cap(number) for number in range(5000)])
    content = bytearray(database.read_bytes())
    content[8192:] = b"\xa5" * (len(content) - 8192)
    database.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"), SqliteJournal(database) as journal:  # noqa: PT012
        with pytest.raises(StoreError, match="damaged"):
            list(journal.read(RUN))
        await journal.append(RUN, [cap(1)])
    assert database.read_bytes() == content


async def test_unreadable_event(database: Path) -> None:
    """An event whose text is damaged is named by its number, not passed over."""
    with SqliteJournal(database) as journal:
        seq = await journal.append(RUN, [cap(1)])
        with closing(sqlite3.connect(database)) as other, other:
            other.execute('UPDATE events SET body = \'{"type":"cap_set"\' WHERE seq = ?', (seq,))
        with pytest.raises(StoreError, match=f"event {seq} cannot be read"):
            list(journal.read(RUN))


async def test_event_of_a_newer_weft(database: Path) -> None:
    """A type this Weft does not know is not passed over either."""
    with SqliteJournal(database) as journal:
        await journal.append(RUN, [cap(1)])
        with closing(sqlite3.connect(database)) as other, other:
            other.execute("UPDATE events SET type = 'teleported'")
        with pytest.raises(StoreError, match=r"teleported.*newer Weft"):
            list(journal.read(RUN))


def test_folder_that_is_a_file(tmp_path: Path) -> None:
    """Where the state folder cannot be made, the message names it."""
    (tmp_path / "state").write_text("")
    with pytest.raises(StoreError, match="state folder") as caught:
        SqliteJournal(tmp_path / "state" / "weft.db")
    assert "WEFT_HOME" in (caught.value.hint or "")


async def test_database_that_went_away_is_not_replaced_by_an_empty_one(database: Path) -> None:
    """A deleted database is an error at the next opening of a connection, never a silent new beginning."""
    with SqliteJournal(database) as journal:
        for path in database.parent.glob("weft.db*"):
            path.unlink()
        with pytest.raises(StoreError, match="cannot be written"):
            await journal.append(RUN, [cap(1)])
        assert not database.exists()


async def test_modes(database: Path) -> None:
    """State is 0700 and 0600, with whatever SQLite puts beside it (SEC-3)."""
    with SqliteJournal(database) as journal:
        await journal.append(RUN, [cap(1)])
        files = list(database.parent.iterdir())
        assert len(files) == 4
        assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert stat.S_IMODE(database.parent.stat().st_mode) == 0o700


async def test_closed_journal_refuses(database: Path) -> None:
    """After closing nothing is accepted that could not be written."""
    journal = SqliteJournal(database)
    journal.close()
    with pytest.raises(StoreError, match="closed"):
        await journal.append(RUN, [cap(1)])
    with pytest.raises(StoreError, match="closed"):
        journal.ask(RUN, ControlRequest(RequestKind.PAUSE))


async def test_cancelled_append_is_still_written(database: Path) -> None:
    """Whoever stops waiting does not take back what was given to the journal."""
    with SqliteJournal(database) as journal:
        task = asyncio.create_task(journal.append(RUN, [cap(1)]))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await journal.append(RUN, [cap(2)])
        assert [entry.event for entry in journal.read(RUN)] == [cap(1), cap(2)]


async def test_closing_writes_what_waits(database: Path) -> None:
    """What was appended before closing is there after it."""
    with SqliteJournal(database) as journal:
        tasks = [asyncio.create_task(journal.append(RUN, [cap(number)])) for number in range(50)]
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    with SqliteJournal(database) as journal:
        assert [entry.event for entry in journal.read(RUN)] == [cap(number) for number in range(50)]
