"""One database opened twice: what one does the other sees."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from weft.model.events import AnyEvent, CapSet, RunEnded, RunStarted
from weft.model.ids import RunId
from weft.model.plan import Mode, Plan
from weft.ports import ControlRequest, RequestKind
from weft.stores.sqlite import SqliteJournal

RUN = RunId("r-1")
START = RunStarted(at=0.0, plan=Plan(mode=Mode.SINGLE, jobs=(), cap=1))
PAUSE = ControlRequest(RequestKind.PAUSE)


@pytest.fixture
def here(tmp_path: Path) -> Iterator[SqliteJournal]:
    with SqliteJournal(tmp_path / "weft.db") as journal:
        yield journal


@pytest.fixture
def there(here: SqliteJournal) -> Iterator[SqliteJournal]:
    with SqliteJournal(here.path) as journal:
        yield journal


async def test_events_are_seen_at_once(here: SqliteJournal, there: SqliteJournal) -> None:
    """What was acknowledged in one is read in the other."""
    await here.append(RUN, [START])
    assert [entry.event for entry in there.read(RUN)] == [START]
    await there.append(RUN, [CapSet(at=1.0, cap=2)])
    assert here.count(RUN) == 2


async def test_requests_cross_over_once(here: SqliteJournal, there: SqliteJournal) -> None:
    """`weft cap` in one process reaches the run in another, which looks several times a second."""
    for _ in range(3):
        assert await here.take_requests(RUN) == []
        there.ask(RUN, PAUSE)
        assert await here.take_requests(RUN) == [PAUSE]
        assert await there.take_requests(RUN) == []


async def test_requests_outlive_the_one_who_asked_and_the_one_asked(tmp_path: Path) -> None:
    """A request that nobody has taken waits for the next process that has the run."""
    with SqliteJournal(tmp_path / "weft.db") as journal:
        assert await journal.take_requests(RUN) == []
        journal.ask(RUN, PAUSE)
    with SqliteJournal(tmp_path / "weft.db") as journal:
        assert await journal.take_requests(RUN) == [PAUSE]
    with SqliteJournal(tmp_path / "weft.db") as journal:
        assert await journal.take_requests(RUN) == []


async def test_following_from_elsewhere(here: SqliteJournal, there: SqliteJournal) -> None:
    """`weft logs --follow` shows what another process writes, and ends with the run (RUN-17)."""
    await here.append(RUN, [START])
    seen: list[AnyEvent] = []
    async with aclosing(there.follow(RUN)) as stream:
        async for entry in stream:
            seen.append(entry.event)
            if len(seen) == 1:
                await here.append(RUN, [CapSet(at=1.0, cap=2)])
            elif len(seen) == 2:
                await here.append(RUN, [RunEnded(at=2.0)])
    assert seen == [START, CapSet(at=1.0, cap=2), RunEnded(at=2.0)]


async def test_following_ends_when_the_run_is_deleted(here: SqliteJournal, there: SqliteJournal) -> None:
    """Nobody waits for a run that was cleaned away."""
    await here.append(RUN, [START])
    async with aclosing(there.follow(RUN)) as stream:
        await anext(stream)
        waiting = asyncio.ensure_future(anext(stream, None))
        await asyncio.sleep(0)
        here.delete_run(RUN)
        assert await waiting is None
