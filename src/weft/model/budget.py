"""What a run may spend (BUDGET-1): limits, and what is set aside for a session before it starts."""

from __future__ import annotations

from enum import Enum

import msgspec

from weft.model.usage import Usage


class Unit(Enum):
    TOKENS = "tokens"
    """Sent to the model and written by it. What the provider had cached does not count: it costs about a tenth."""
    USD = "usd"
    SESSIONS = "sessions"


class Scope(Enum):
    """What a limit is for, each time anew."""

    JOB = "job"
    RUN = "run"
    DAY = "day"
    """The local calendar day; all runs of the user count."""
    WEEK = "week"
    """The same from Monday on."""

    @property
    def shared(self) -> bool:
        """Whether other runs spend from it too."""
        return self in (Scope.DAY, Scope.WEEK)


class Shortage(Enum):
    """What a job could not go on for want of."""

    BUDGET = "budget"
    QUOTA = "quota"


class Amounts(msgspec.Struct, frozen=True, gc=False):
    """So much of each unit."""

    tokens: float = 0.0
    usd: float = 0.0
    sessions: float = 0.0

    def of(self, unit: Unit) -> float:
        match unit:
            case Unit.TOKENS:
                return self.tokens
            case Unit.USD:
                return self.usd
            case Unit.SESSIONS:
                return self.sessions


class Limit(msgspec.Struct, frozen=True):
    scope: Scope
    unit: Unit
    amount: float
    key: str
    """Where it is set, such as `budget.run_tokens`."""
    agent: str | None = None
    """Whose sessions count; None: all."""
    before: float = 0.0
    """What other runs had spent of it when this one was planned."""
    begins: tuple[float, ...] = ()
    """Of a day or a week: when the current one began, and those that follow."""


class Estimate(msgspec.Struct, frozen=True):
    """What earlier sessions of an agent in a phase came to: nine in ten took no more."""

    agent: str
    phase: str
    tokens: float | None = None
    usd: float | None = None


class Budget(msgspec.Struct, frozen=True):
    limits: tuple[Limit, ...] = ()
    session_tokens: float | None = None
    """What each session may use, and what is set aside for it; None: as history has it."""
    session_usd: float | None = None
    estimates: tuple[Estimate, ...] = ()
    unpriced: tuple[str, ...] = ()
    """Agents that do not say what their sessions cost."""
    max_percent: float = 75.0
    """Of the day's allowance that a run over projects may take."""
    reserve_percent: float = 5.0
    """Of it that such a run leaves alone."""
    zone: str = "local"
    """In which days and weeks begin."""


TINY = 1e-9
"""Sums of dollars are not exact: so much more is not over a limit."""
SHARE = 0.25
"""Of the smallest limit: what is set aside for a session that nothing is known about."""
LEAST = 0.25
"""Of what a session would have set aside for it: with less than that left it is not started."""


def granted(wanted: float, left: float, *, alone: bool) -> float | None:
    """What is set aside of a limit that has so much left; None: it does not fit. One that has the limit to itself may
    have less than it wants, so that the rest of a budget is used.
    """
    if left <= 0:
        return None
    if wanted <= left + TINY:
        return wanted
    return left if alone and left >= wanted * LEAST else None


def spent_amounts(usage: Usage, unknown_usd: float = 0.0) -> Amounts:
    """`unknown_usd`: what counts where nobody told the cost."""
    cost = unknown_usd if usage.cost_usd is None else usage.cost_usd
    return Amounts(float(usage.tokens), cost, float(usage.sessions))


def amount_text(amount: float, unit: Unit) -> str:
    """`12,000 tokens`, `$1.50`, `1 session`."""
    if unit is Unit.USD:
        return f"${amount:,.2f}" if amount >= 0.1 or not amount else f"${amount:.4f}"
    name = unit.value[:-1] if amount == 1 else unit.value
    return f"{amount:,.0f} {name}"


def share_of_allowance(allowance: float, used: float, max_percent: float, reserve_percent: float) -> float:
    """What a run may take of a day's or week's allowance of which the share `used` (0 to 1) is gone (BUDGET-4)."""
    return max(0.0, allowance * (1 - used) * max_percent / 100 - allowance * reserve_percent / 100)


def daily_allowance(weekly: float, unit: Unit) -> float:
    """A seventh; of tokens and sessions whole ones."""
    return weekly / 7 if unit is Unit.USD else weekly // 7
