"""What history lets one expect of a plan, for `--dry-run` (RUN-19)."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from weft.board.figures import Spread, median
from weft.board.views import RunView
from weft.model.outcome import PhaseStatus
from weft.model.plan import Plan


class PhaseEstimate(msgspec.Struct, frozen=True):
    """Medians over `n` passed attempts; the cost over those whose cost is known."""

    n: int
    seconds: float
    cost_usd: float | None


class PlanEstimate(msgspec.Struct, frozen=True):
    """None where nothing is known: a phase was never seen, or no cost was ever told."""

    work_seconds: float | None
    """All phases of all jobs, one after the other."""
    wall_seconds: float | None
    """At least so long, given the cap, the lanes and the longest job."""
    cost_usd: float | None


def phase_estimates(views: Iterable[RunView], repo: str | None = None) -> dict[str, PhaseEstimate]:
    """`repo`: the path of the one whose jobs count; None: all."""
    seconds: dict[str, list[float]] = {}
    costs: dict[str, list[float]] = {}
    for view in views:
        for name, duration, cost in _passed(view, repo):
            seconds.setdefault(name, []).append(duration)
            if cost is not None:
                costs.setdefault(name, []).append(cost)
    return {
        name: PhaseEstimate(len(values), median(values), median(costs[name]) if name in costs else None)
        for name, values in seconds.items()
    }


class SessionSize(msgspec.Struct, frozen=True):
    """What nine in ten sessions of a kind did not exceed; None where nobody told."""

    tokens: float | None
    usd: float | None


def session_sizes(views: Iterable[RunView]) -> dict[tuple[str, str], SessionSize]:
    """By agent and phase, over the sessions of attempts that ran to their end, well or not."""
    tokens: dict[tuple[str, str], Spread] = {}
    costs: dict[tuple[str, str], Spread] = {}
    for view in views:
        for job in view.jobs.values():
            for phase in job.phases:
                for attempt in phase.attempts:
                    agent = attempt.agent or phase.agent
                    if agent and attempt.usage.sessions:
                        key = (agent, phase.name)
                        tokens.setdefault(key, Spread([])).seconds.append(float(attempt.usage.tokens))
                        if attempt.usage.cost_usd is not None:
                            costs.setdefault(key, Spread([])).seconds.append(attempt.usage.cost_usd)
    return {
        key: SessionSize(spread.p90 or None, costs[key].p90 if key in costs else None) for key, spread in tokens.items()
    }


def plan_estimate(plan: Plan, history: dict[str, PhaseEstimate]) -> PlanEstimate:
    """Over the jobs that would run. A phase without history makes the whole unknown, not small."""
    phases = {line.name: [phase.name for phase in line.phases] for line in plan.pipelines}
    jobs = [(job, phases.get(job.pipeline, [])) for job in plan.jobs if job.finished is None and job.unmet is None]
    if any(name not in history for _, names in jobs for name in names):
        return PlanEstimate(None, None, None)
    seconds = [(job.lane, sum(history[name].seconds for name in names)) for job, names in jobs]
    costs = [history[name].cost_usd for _, names in jobs for name in names]
    known = [cost for cost in costs if cost is not None]
    return PlanEstimate(
        sum(length for _, length in seconds),
        _wall(plan, seconds),
        sum(known) if len(known) == len(costs) else None,
    )


def _wall(plan: Plan, jobs: list[tuple[str, float]]) -> float:
    """The largest of: all work over the cap, each lane's work over its width, the longest job."""
    widths = {lane.name: lane.width for lane in plan.lanes}
    per_lane: dict[str, float] = {}
    for lane, length in jobs:
        per_lane[lane] = per_lane.get(lane, 0.0) + length
    lanes = [total / widths.get(lane, 1) for lane, total in per_lane.items()]
    longest = max((length for _, length in jobs), default=0.0)
    return max([sum(per_lane.values()) / max(1, plan.cap), longest, *lanes])


def _passed(view: RunView, repo: str | None) -> Iterable[tuple[str, float, float | None]]:
    for job in view.jobs.values():
        if repo is not None and view.repos.get(job.key.repo) != repo:
            continue
        for phase in job.phases:
            for attempt in phase.attempts:
                if attempt.status is PhaseStatus.PASSED:
                    cost = attempt.usage.cost_usd if attempt.usage.sessions else 0.0
                    yield phase.name, attempt.duration or 0.0, cost
