"""Limits that all runs of the user share: taken in one transaction, settled with the event that says so (BUDGET-1)."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from weft.model.budget import Amounts, Limit, Scope, Unit
from weft.model.events import PhaseEnded, SessionEnded, UsageSeen
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.outcome import PhaseStatus, SessionOutcome
from weft.model.usage import NO_USAGE, Usage
from weft.stores.purses import SqlitePurse
from weft.stores.schema import migrate
from weft.stores.sqlite import SqliteJournal

MINE, OTHERS = RunId("r-1"), RunId("r-2")
NOON = 1_000_000.0
WANTED = Amounts(tokens=400.0, sessions=1.0)


def day(amount: float, unit: Unit = Unit.TOKENS, agent: str | None = None) -> Limit:
    return Limit(Scope.DAY, unit, amount, f"budget.day_{unit.value}", agent, begins=(NOON - 100, NOON + 100))


def attempt(run: RunId, number: int) -> AttemptId:
    return AttemptId(run, JobKey("shop", "1"), "exec", number)


def ended(run: RunId, number: int, usage: Usage, at: float = NOON, agent: str = "mine") -> SessionEnded:
    return SessionEnded(at=at, attempt=attempt(run, number), outcome=SessionOutcome(usage=usage), agent=agent)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    with SqliteJournal(tmp_path / "weft.db") as journal:
        yield journal


def purse(journal: SqliteJournal, run: RunId, *limits: Limit) -> SqlitePurse:
    return SqlitePurse(journal.path, run, limits)


def used(tokens: int, usd: float | None = None) -> Usage:
    return Usage(output_tokens=tokens, cost_usd=usd, sessions=1)


async def test_two_runs_take_from_one_limit(journal: SqliteJournal) -> None:
    """What one has set aside the other cannot have, until its session has ended and given back the rest."""
    mine, others = purse(journal, MINE, day(1000)), purse(journal, OTHERS, day(1000))
    assert mine.take(attempt(MINE, 1), "mine", WANTED, NOON).refused is None
    assert others.take(attempt(OTHERS, 1), "mine", WANTED, NOON).refused is None
    refused = others.take(attempt(OTHERS, 2), "mine", WANTED, NOON)
    assert refused.refused == (
        "`budget.day_tokens` is 1,000 tokens: 0 tokens spent, 800 tokens set aside for sessions under way, "
        "all runs together"
    )
    assert refused.may_come_free
    await journal.append(MINE, [ended(MINE, 1, used(100))])
    assert others.take(attempt(OTHERS, 2), "mine", WANTED, NOON).refused is None


async def test_what_is_spent_does_not_come_free(journal: SqliteJournal) -> None:
    """Nobody waits for what nobody can give back."""
    await journal.append(MINE, [ended(MINE, 1, used(950))])
    answer = purse(journal, OTHERS, day(1000)).take(attempt(OTHERS, 1), "mine", WANTED, NOON)
    assert answer.refused is not None
    assert not answer.may_come_free


async def test_the_next_day(journal: SqliteJournal) -> None:
    """What was spent before it began does not count any more; what was spent yesterday evening does not either."""
    await journal.append(MINE, [ended(MINE, 1, used(950)), ended(MINE, 2, used(950), at=NOON - 200)])
    later = purse(journal, OTHERS, day(1000)).take(attempt(OTHERS, 1), "mine", WANTED, NOON + 150)
    assert later.refused is None


async def test_the_rest_is_used(journal: SqliteJournal) -> None:
    """One that is alone may have less than it wants."""
    await journal.append(MINE, [ended(MINE, 1, used(800))])
    mine = purse(journal, MINE, day(1000))
    assert mine.take(attempt(MINE, 2), "mine", WANTED, NOON).refused is None
    assert rows(journal, "SELECT tokens FROM reservations") == [(200.0,)]


async def test_of_a_dead_process_only_what_was_heard(journal: SqliteJournal) -> None:
    """Its sessions are gone; when the run is recovered they are settled at that."""
    mine = purse(journal, MINE, day(1000))
    mine.take(attempt(MINE, 1), "mine", Amounts(1000.0, sessions=1.0), NOON)
    await journal.append(MINE, [UsageSeen(at=NOON, attempt=attempt(MINE, 1), usage=used(300))])
    pid = dead_process()
    with closing(sqlite3.connect(journal.path)) as connection:
        connection.execute("UPDATE reservations SET pid = ?, started = 'long ago'", (pid,))
        connection.commit()
    others = purse(journal, OTHERS, day(1000))
    assert others.elsewhere(NOON) == (("budget.day_tokens", 300.0),)
    assert others.take(attempt(OTHERS, 1), "mine", WANTED, NOON).refused is None
    lost = PhaseEnded(at=NOON, attempt=attempt(MINE, 1), status=PhaseStatus.LOST)
    await journal.append(MINE, [lost])
    assert journal.spent_since(NOON - 1) == Amounts(300.0, 0.0, 1.0)
    assert rows(journal, "SELECT attempt FROM reservations") == [(str(attempt(OTHERS, 1)),)]


async def test_by_agent(journal: SqliteJournal) -> None:
    """A limit of one agent counts its sessions alone."""
    await journal.append(MINE, [ended(MINE, 1, used(10), agent="cheap"), ended(MINE, 2, used(5), agent="dear")])
    assert journal.spent_since(0.0, "dear") == Amounts(5.0, 0.0, 1.0)
    mine = purse(journal, MINE, day(1, Unit.SESSIONS, agent="dear"))
    assert mine.take(attempt(MINE, 3), "dear", WANTED, NOON).refused is not None
    assert mine.take(attempt(MINE, 4), "cheap", WANTED, NOON).refused is None


async def test_a_cost_that_nobody_told_counts_as_set_aside(journal: SqliteJournal) -> None:
    """BUDGET-3: never as nothing."""
    mine = purse(journal, MINE, day(10.0, Unit.USD))
    mine.take(attempt(MINE, 1), "mine", Amounts(usd=2.5, sessions=1.0), NOON)
    await journal.append(MINE, [ended(MINE, 1, used(10))])
    assert journal.spent_since(0.0) == Amounts(10.0, 2.5, 1.0)


async def test_a_session_that_never_began(journal: SqliteJournal) -> None:
    """It gives everything back."""
    mine = purse(journal, MINE, day(1, Unit.SESSIONS))
    mine.take(attempt(MINE, 1), "mine", WANTED, NOON)
    await journal.append(MINE, [ended(MINE, 1, NO_USAGE)])
    assert mine.take(attempt(MINE, 2), "mine", WANTED, NOON).refused is None


async def test_tidying_away_a_run_does_not_give_money_back(journal: SqliteJournal) -> None:
    """What was spent this week counts though its run was deleted; what is older is forgotten."""
    now = time.time()
    await journal.append(MINE, [ended(MINE, 1, used(10), at=now), ended(MINE, 2, used(5), at=now - 30 * 86400)])
    journal.delete_run(MINE)
    assert journal.spent_since(0.0) == Amounts(10.0, 0.0, 1.0)


def test_sessions_of_before_there_were_budgets(tmp_path: Path) -> None:
    """An older database's sessions count as if they had always been written down."""
    path = tmp_path / "weft.db"
    body = (
        '{"type":"session_ended","at":5.0,"attempt":{"run":"r-1","job":{"repo":"shop","id":"1"},"phase":"exec",'
        '"number":2},"outcome":{"usage":{"input_tokens":7,"output_tokens":3,"cost_usd":0.5,"sessions":1}}}'
    )
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, 4)
        row = ("r-1", 5.0, "session_ended", 1, "shop#1", body)
        connection.execute("INSERT INTO events (run, at, type, version, job, body) VALUES (?, ?, ?, ?, ?, ?)", row)
    with SqliteJournal(path) as journal:
        assert journal.spent_since(0.0) == Amounts(10.0, 0.5, 1.0)
        assert rows(journal, "SELECT attempt FROM spending") == [(str(attempt(MINE, 2)),)]


def rows(journal: SqliteJournal, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(journal.path)) as connection:
        return connection.execute(sql).fetchall()


def dead_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""], env=dict(os.environ))
    process.wait()
    return process.pid
