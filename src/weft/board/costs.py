"""What sessions cost (BUDGET-5): by job, agent, model and day; what nobody told is counted as unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from weft.board.document import Document
from weft.board.views import AttemptView, JobView, PhaseView, RunView
from weft.model.usage import Usage

UNKNOWN = "unknown"

DayOf = Callable[[float], str]
"""The calendar day of a moment, as the user has it."""


class CostRow(msgspec.Struct):
    """`usd` sums the sessions whose cost is known; the others are counted, never taken for nothing."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    sessions: int = 0
    usd: float = 0.0
    unknown: int = 0
    """Sessions whose cost nobody told."""

    def add(self, usage: Usage) -> None:
        self.input_tokens += usage.input_tokens
        self.output_tokens += usage.output_tokens
        self.cached_tokens += usage.cached_tokens
        self.sessions += usage.sessions
        if usage.cost_usd is None:
            self.unknown += usage.sessions
        else:
            self.usd += usage.cost_usd

    @property
    def cost_usd(self) -> float | None:
        """Of all of it; None as soon as some of it is unknown."""
        return None if self.unknown else round(self.usd, 9)


class Costs(msgspec.Struct):
    total: CostRow
    by_job: dict[str, CostRow] = {}
    by_agent: dict[str, CostRow] = {}
    by_model: dict[str, CostRow] = {}
    by_day: dict[str, CostRow] = {}


def costs_of(views: Iterable[RunView], day_of: DayOf) -> Costs:
    costs = Costs(CostRow())
    for view in views:
        for job in view.jobs.values():
            for phase in job.phases:
                for attempt in phase.attempts:
                    if attempt.usage.sessions or attempt.usage.tokens:
                        _add(costs, job, phase, attempt, day_of)
    costs.by_day = dict(sorted(costs.by_day.items()))
    return costs


def _add(costs: Costs, job: JobView, phase: PhaseView, attempt: AttemptView, day_of: DayOf) -> None:
    at = attempt.started_at + (attempt.duration or 0.0)
    rows = [
        costs.total,
        costs.by_job.setdefault(str(job.key), CostRow()),
        costs.by_agent.setdefault(attempt.agent or phase.agent or UNKNOWN, CostRow()),
        costs.by_model.setdefault(attempt.model or phase.model or UNKNOWN, CostRow()),
        costs.by_day.setdefault(day_of(at), CostRow()),
    ]
    for row in rows:
        row.add(attempt.usage)


def costs_document(costs: Costs) -> Document:
    """What `weft report --cost --json` prints."""
    return {
        "total": _row(costs.total),
        "jobs": [{"job": name} | _row(row) for name, row in costs.by_job.items()],
        "backends": [{"backend": name} | _row(row) for name, row in costs.by_agent.items()],
        "models": [{"model": name} | _row(row) for name, row in costs.by_model.items()],
        "days": [{"day": name} | _row(row) for name, row in costs.by_day.items()],
    }


def _row(row: CostRow) -> Document:
    return {
        "input_tokens": row.input_tokens,
        "output_tokens": row.output_tokens,
        "cached_tokens": row.cached_tokens,
        "sessions": row.sessions,
        "cost_usd": row.cost_usd,
        "known_usd": round(row.usd, 9),
        "unknown_sessions": row.unknown,
    }
