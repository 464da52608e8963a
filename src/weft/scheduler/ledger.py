"""Budgets that bind (BUDGET-1, BUDGET-2): set aside before a session starts, settled when it is over."""

from __future__ import annotations

from bisect import insort
from collections import deque
from typing import TYPE_CHECKING

import msgspec

from weft.model.budget import SHARE, TINY, Amounts, Budget, Scope, Unit, amount_text, spent_amounts
from weft.model.ids import AttemptId, JobKey
from weft.model.usage import Usage
from weft.scheduler.pots import Pot

if TYPE_CHECKING:
    from weft.scheduler.jobrun import JobRun

NOTHING = Amounts(sessions=1.0)
"""What a session has used that nothing was heard of yet."""


class Asked(msgspec.Struct, frozen=True, gc=False):
    """Who wants to start a session."""

    attempt: AttemptId
    agent: str


class Refused(msgspec.Struct, frozen=True):
    """Why a session may not start now."""

    text: str
    for_good: bool
    """Whether no session that is under way could give anything back."""


class Held(msgspec.Struct, gc=False):
    """What is set aside for a session under way."""

    agent: str
    reserved: Amounts
    pots: tuple[Pot, ...]
    seen: Amounts = NOTHING
    usage: Usage | None = None
    """What was last heard of it."""


class Ledger:
    """Mutable, and owned by one `State`. Asks nobody and orders nothing."""

    __slots__ = ("_estimates", "_jobs", "_of_jobs", "_shared", "budget", "open", "seen_sizes", "waiting")

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._shared = [Pot(limit) for limit in budget.limits if limit.scope is not Scope.JOB]
        self._of_jobs = [limit for limit in budget.limits if limit.scope is Scope.JOB]
        self._jobs: dict[JobKey, list[Pot]] = {}
        self._estimates = {(one.agent, one.phase): one for one in budget.estimates}
        self.open: dict[AttemptId, Held] = {}
        self.waiting: deque[JobRun] = deque()
        """Jobs that wait for sessions under way to give back what they do not use."""
        self.seen_sizes: dict[tuple[str, str, Unit], list[float]] = {}
        """What this run's own sessions came to, by agent and phase, in order of size."""

    @property
    def pots(self) -> list[Pot]:
        return [*self._shared, *(pot for pots in self._jobs.values() for pot in pots)]

    def turn_over(self, at: float) -> None:
        """A new day or week may have begun."""
        for pot in self._shared:
            pot.turn_over(at)

    def reserve(self, asked: Asked, at: float) -> Amounts | Refused:
        """All limits or none."""
        self.turn_over(at)
        pots = self._pots(asked)
        refused = self.refused(asked)
        if refused is not None:
            return refused
        wanted = self.wanted(asked)
        given = _least(wanted, pots)
        for pot in pots:
            pot.take(given.of(pot.limit.unit))
        self.open[asked.attempt] = Held(asked.agent, given, tuple(pots))
        return given

    def hear_of_others(self, elsewhere: tuple[tuple[str, float], ...], at: float) -> None:
        """What other runs have used by now of the limits that are shared with them."""
        known = dict(elsewhere)
        for pot in self._shared:
            if pot.limit.scope.shared and pot.limit.key in known:
                pot.turn_over(at)
                pot.before_is(known[pot.limit.key])

    def see(self, attempt: AttemptId, usage: Usage) -> None:
        """A session under way has used so much by now; it never comes to less than was heard before."""
        held = self.open.get(attempt)
        if held is None:
            return
        now = _no_less(spent_amounts(usage), held.seen)
        for pot in held.pots:
            unit = pot.limit.unit
            pot.see(held.reserved.of(unit), held.seen.of(unit), now.of(unit))
        held.seen, held.usage = now, usage

    def over(self, attempt: AttemptId) -> dict[AttemptId, str]:
        """Who must stop now that so much was heard of a session, and why."""
        held = self.open.get(attempt)
        if held is None:
            return {}
        for pot in held.pots:
            if pot.over and pot.limit.unit is not Unit.SESSIONS:
                return {
                    one: f"over the limit: {pot.over_text()}" for one, other in self.open.items() if pot in other.pots
                }
        own = self._own_limit(held)
        return {attempt: own} if own else {}

    def settle(self, attempt: AttemptId, usage: Usage | None) -> None:
        """It is over. `usage` None: nobody can say any more what it used; what was heard of it counts. Safe to
        repeat.
        """
        held = self.open.pop(attempt, None)
        if held is None:
            return
        spent = held.seen if usage is None else spent_amounts(usage, held.reserved.usd if usage.sessions else 0.0)
        for pot in held.pots:
            unit = pot.limit.unit
            pot.settle(held.reserved.of(unit), held.seen.of(unit), spent.of(unit))
        if usage is not None and usage.sessions:
            self._learn(held.agent, attempt.phase, usage)

    def wanted(self, asked: Asked) -> Amounts:
        """What is to be set aside for a session: as settings say, else as sessions of its kind came to."""
        tokens = self.budget.session_tokens
        usd = self.budget.session_usd
        return Amounts(
            tokens=self._expected(asked, Unit.TOKENS) if tokens is None else tokens,
            usd=self._expected(asked, Unit.USD) if usd is None else usd,
            sessions=1.0,
        )

    def snapshot(self) -> tuple[object, ...]:
        return (
            [pot.snapshot() for pot in self.pots],
            {attempt: (held.reserved, held.seen) for attempt, held in self.open.items()},
            [job.key for job in self.waiting],
            self.seen_sizes,
        )

    def _pots(self, asked: Asked) -> list[Pot]:
        job = asked.attempt.job
        if self._of_jobs and job not in self._jobs:
            self._jobs[job] = [Pot(limit) for limit in self._of_jobs]
        every = [*self._shared, *self._jobs.get(job, ())]
        return [pot for pot in every if pot.limit.agent in (None, asked.agent)]

    def _expected(self, asked: Asked, unit: Unit) -> float:
        found = self._estimates.get((asked.agent, asked.attempt.phase))
        known = None if found is None else found.tokens if unit is Unit.TOKENS else found.usd
        sizes = self.seen_sizes.get((asked.agent, asked.attempt.phase, unit))
        if sizes:
            return max(known or 0.0, sizes[-(-len(sizes) * 9 // 10) - 1])
        if known is not None:
            return known
        if unit is Unit.USD and asked.agent in self.budget.unpriced:
            return 0.0
        amounts = [pot.limit.amount for pot in self._pots(asked) if pot.limit.unit is unit]
        return min(amounts, default=0.0) * SHARE

    def _learn(self, agent: str, phase: str, usage: Usage) -> None:
        sizes = {Unit.TOKENS: float(usage.tokens), Unit.USD: usage.cost_usd}
        for unit, size in sizes.items():
            if size is not None:
                insort(self.seen_sizes.setdefault((agent, phase, unit), []), size)

    def refused(self, asked: Asked) -> Refused | None:
        """Why it does not fit. The limit that can never be met is told rather than one that may."""
        wanted = self.wanted(asked)
        short = [pot for pot in self._pots(asked) if pot.room(wanted.of(pot.limit.unit)) is None]
        if not short:
            return None
        for_good = [pot for pot in short if pot.hopeless(wanted.of(pot.limit.unit))]
        told = (for_good or short)[0]
        unit = told.limit.unit
        needs = f", a session needs {amount_text(wanted.of(unit), unit)}" if unit is not Unit.SESSIONS else ""
        return Refused(told.text() + needs, for_good=bool(for_good))

    def _own_limit(self, held: Held) -> str | None:
        """Only where the user set it: an estimate is not a limit."""
        set_for = {Unit.TOKENS: self.budget.session_tokens, Unit.USD: self.budget.session_usd}
        for unit, limit in set_for.items():
            most = held.reserved.of(unit)
            if limit is not None and held.seen.of(unit) > most + TINY:
                said = amount_text(held.seen.of(unit), unit)
                return f"over its limit of {amount_text(most, unit)} (`budget.session_{unit.value}`): {said} used"
        return None


def _least(wanted: Amounts, pots: list[Pot]) -> Amounts:
    """The same for all: what the tightest limit gives."""
    given = {unit: [room for pot in pots if (room := _room(pot, wanted, unit)) is not None] for unit in Unit}
    return Amounts(
        tokens=min(given[Unit.TOKENS], default=wanted.tokens),
        usd=min(given[Unit.USD], default=wanted.usd),
        sessions=1.0,
    )


def _room(pot: Pot, wanted: Amounts, unit: Unit) -> float | None:
    return pot.room(wanted.of(unit)) if pot.limit.unit is unit else None


def _no_less(one: Amounts, other: Amounts) -> Amounts:
    return Amounts(max(one.tokens, other.tokens), max(one.usd, other.usd), max(one.sessions, other.sessions))
