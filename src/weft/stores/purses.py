"""Limits that all of the user's runs share (BUDGET-1): set aside in one transaction, whoever asks first.

What sessions came to is written with the event that says so, in the same transaction: at no moment does a session count
neither as under way nor as over.
"""

from __future__ import annotations

import os
import sqlite3
from bisect import bisect_right
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from weft.model.budget import Amounts, Limit, Unit, amount_text, granted
from weft.model.ids import AttemptId, RunId
from weft.ports import SetAside
from weft.processes.identity import Identity, identity_of
from weft.stores.database import connect
from weft.stores.faults import told
from weft.stores.queries import SQL
from weft.stores.transaction import PATIENCE, transaction


class Open(msgspec.Struct, frozen=True):
    """A session under way, or one whose process is gone and that nobody has settled yet."""

    attempt: str
    run: str
    agent: str
    reserved: Amounts
    seen: Amounts
    alive: bool

    def counts(self, unit: Unit) -> float:
        """Of a dead one nothing more comes than was heard of it."""
        seen = self.seen.of(unit)
        return max(self.reserved.of(unit), seen) if self.alive else seen


class Stand(msgspec.Struct, frozen=True):
    """How one limit stands, without the session that is asked about."""

    limit: Limit
    spent: float
    others: tuple[Open, ...]

    @property
    def held(self) -> float:
        return sum(one.counts(self.limit.unit) for one in self.others)

    @property
    def left(self) -> float:
        return self.limit.amount - self.spent - self.held

    @property
    def busy(self) -> bool:
        return any(one.alive for one in self.others)

    def room(self, wanted: float) -> float | None:
        if self.limit.unit is Unit.SESSIONS:
            return 1.0 if self.left >= 1 else None
        return granted(wanted, self.left, alone=not self.busy)

    def may_come_free(self, wanted: float) -> bool:
        alive = sum(one.counts(self.limit.unit) for one in self.others if one.alive)
        return self.busy and granted(wanted, self.left + alive, alone=True) is not None

    def text(self) -> str:
        unit = self.limit.unit
        held = f", {amount_text(self.held, unit)} set aside for sessions under way" if self.held else ""
        whole = amount_text(self.limit.amount, unit)
        return f"`{self.limit.key}` is {whole}: {amount_text(self.spent, unit)} spent{held}, all runs together"


class SqlitePurse:
    """What one run takes of the limits it shares with others."""

    def __init__(self, database: Path, run: RunId, limits: Sequence[Limit]) -> None:
        self._path = database
        self._run = run
        self._limits = limits

    def take(self, attempt: AttemptId, agent: str, wanted: Amounts, at: float) -> SetAside:
        """All limits or none. Blocks for as long as another has the database."""
        with transaction(self._path) as connection:
            stands = [self._stand(connection, limit, agent, at, str(attempt)) for limit in self._limits_of(agent)]
            short = [stand for stand in stands if stand.room(wanted.of(stand.limit.unit)) is None]
            if short:
                may = all(stand.may_come_free(wanted.of(stand.limit.unit)) for stand in short)
                return SetAside(refused=short[0].text(), may_come_free=may)
            _put(connection, self._run, attempt, agent, _given(wanted, stands))
            return SetAside()

    def elsewhere(self, at: float) -> tuple[tuple[str, float], ...]:
        """What others than this run have used of each limit by now. A look only: nobody waits for it."""
        with closing(connect(self._path, PATIENCE)) as connection, told(self._path):
            return tuple((limit.key, self._used_by_others(connection, limit, at)) for limit in self._limits)

    def _used_by_others(self, connection: sqlite3.Connection, limit: Limit, at: float) -> float:
        others = [one for one in _open(connection, limit.agent) if one.run != self._run]
        return _spent(connection, limit, at, self._run) + sum(one.seen.of(limit.unit) for one in others)

    def _limits_of(self, agent: str) -> list[Limit]:
        return [limit for limit in self._limits if limit.agent in (None, agent)]

    def _stand(self, connection: sqlite3.Connection, limit: Limit, agent: str, at: float, attempt: str) -> Stand:
        others = tuple(one for one in _open(connection, limit.agent) if one.attempt != attempt)
        return Stand(limit, _spent(connection, limit, at), others)


def _given(wanted: Amounts, stands: Sequence[Stand]) -> Amounts:
    def least(unit: Unit, otherwise: float) -> float:
        rooms = [stand.room(wanted.of(unit)) for stand in stands if stand.limit.unit is unit]
        return min((room for room in rooms if room is not None), default=otherwise)

    return Amounts(least(Unit.TOKENS, wanted.tokens), least(Unit.USD, wanted.usd), 1.0)


def _spent(connection: sqlite3.Connection, limit: Limit, at: float, without: str = "") -> float:
    since = limit.begins[max(0, bisect_right(limit.begins, at) - 1)] if limit.begins else 0.0
    found = connection.execute(SQL["spent_since"], {"since": since, "agent": limit.agent, "without": without})
    return Amounts(*map(float, found.fetchone())).of(limit.unit)


def _open(connection: sqlite3.Connection, agent: str | None) -> list[Open]:
    found: list[Open] = []
    for attempt, run, by, tokens, usd, seen_tokens, seen_usd, pid, started in connection.execute(SQL["reservations"]):
        if agent in (None, by):
            alive = identity_of(pid) == Identity(pid, started)
            reserved, seen = Amounts(tokens, usd, 1.0), Amounts(float(seen_tokens), seen_usd, 1.0)
            found.append(Open(attempt, run, by, reserved, seen, alive))
    return found


def _put(connection: sqlite3.Connection, run: RunId, attempt: AttemptId, agent: str, given: Amounts) -> None:
    me = identity_of(os.getpid()) or Identity(os.getpid(), "unknown")
    values = {"attempt": str(attempt), "run": run, "agent": agent, "tokens": given.tokens, "usd": given.usd}
    connection.execute(SQL["put_reservation"], values | {"pid": me.pid, "started": me.started})
