"""What many runs come to (RUN-18): success rates with n, transient failures, durations, cost.

A job counts towards the rates when it was tried to its end: passed, failed, parked after it began, or without a
change. Locked, skipped, not run and cancelled ones say nothing about how well the work goes. An attempt counts when it
passed or failed by itself, retried ones included; lost and cancelled ones do not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from weft.board.document import Document
from weft.board.exit_codes import is_failure
from weft.board.figures import Cost, Rate, Spread
from weft.board.views import AttemptView, JobView, RunView
from weft.model.job import JobStatus
from weft.model.outcome import PhaseStatus
from weft.model.phase import FailureClass
from weft.model.plan import Mode

TRANSIENT = frozenset({FailureClass.TRANSIENT, FailureClass.RATE_LIMITED})
_TRIED = frozenset({JobStatus.PASSED, JobStatus.FAILED, JobStatus.PARKED, JobStatus.NO_CHANGE})
_ATTEMPT_TRIED = frozenset({PhaseStatus.PASSED, PhaseStatus.FAILED, PhaseStatus.RETRYING})


class Stats:
    """Folds runs, one at a time."""

    def __init__(self) -> None:
        self.runs = 0
        self.jobs = 0
        self.by_mode: defaultdict[str, Rate] = defaultdict(Rate)
        self.by_phase: defaultdict[str, Rate] = defaultdict(Rate)
        self.by_agent: defaultdict[str, Rate] = defaultdict(Rate)
        self.transient: Counter[str] = Counter()
        self.job_durations: defaultdict[str, Spread] = defaultdict(Spread)
        """By mode."""
        self.phase_durations: defaultdict[str, Spread] = defaultdict(Spread)
        """Of attempts that passed."""
        self.cost = Cost()

    def add(self, view: RunView) -> None:
        self.runs += 1
        for job in view.jobs.values():
            self._add_job(view.mode, job)

    def _add_job(self, mode: Mode, job: JobView) -> None:
        if job.begun is None:
            return
        self.jobs += 1
        if job.usage.sessions:
            self.cost.count(job.usage.cost_usd)
        if job.status in _TRIED:
            self.by_mode[mode.value].count(not is_failure(mode, job.status))
            self.job_durations[mode.value].seconds.append(job.duration or 0.0)
        for phase in job.phases:
            for attempt in phase.attempts:
                self._add_attempt(phase.name, attempt)

    def _add_attempt(self, phase: str, attempt: AttemptView) -> None:
        if attempt.status not in _ATTEMPT_TRIED:
            return
        passed = attempt.status is PhaseStatus.PASSED
        self.by_phase[phase].count(passed)
        if attempt.agent:
            self.by_agent[attempt.agent].count(passed)
        if attempt.failure is not None and attempt.failure.kind in TRANSIENT:
            self.transient[phase] += 1
        if passed:
            self.phase_durations[phase].seconds.append(attempt.duration or 0.0)


def gather(views: Iterable[RunView]) -> Stats:
    stats = Stats()
    for view in views:
        stats.add(view)
    return stats


def stats_document(stats: Stats) -> Document:
    """What `weft stats --json` prints."""
    return {
        "runs": stats.runs,
        "jobs": stats.jobs,
        "success": {
            "mode": {name: _rate(rate) for name, rate in stats.by_mode.items()},
            "phase": {name: _rate(rate) for name, rate in stats.by_phase.items()},
            "backend": {name: _rate(rate) for name, rate in stats.by_agent.items()},
        },
        "transient_failures": {name: stats.transient.get(name, 0) for name in stats.by_phase},
        "durations": {
            "job": {name: _spread(spread) for name, spread in stats.job_durations.items()},
            "phase": {name: _spread(spread) for name, spread in stats.phase_durations.items()},
        },
        "cost": {
            "usd": round(stats.cost.usd, 9) if stats.cost.known else None,
            "jobs_known": stats.cost.known,
            "jobs_unknown": stats.cost.unknown,
        },
    }


def _rate(rate: Rate) -> Document:
    value = rate.value
    return {"n": rate.n, "succeeded": rate.succeeded, "rate": None if value is None else round(value, 4)}


def _spread(spread: Spread) -> Document:
    return {"n": len(spread.seconds), "median_seconds": _round(spread.median), "p90_seconds": _round(spread.p90)}


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
