"""How long each job of a plan is likely to take: as its file says, else as history has it, else all alike (WAVE-9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from weft.board.estimates import phase_estimates
from weft.board.views import RunView
from weft.model.ids import JobKey
from weft.model.job import Job
from weft.model.plan import LockRule, Plan
from weft.scheduler.simulate import simulate


class Timed(msgspec.Struct, frozen=True):
    """A plan whose jobs have their estimates."""

    plan: Plan
    in_seconds: bool
    """Whether the estimates are seconds; if not, each job counts as one."""
    said: Mapping[JobKey, float] = {}
    """In seconds, what the user expects of some."""


def timed(plan: Plan, said: Mapping[JobKey, float], past: Sequence[RunView]) -> Timed:
    """`said`: in seconds, what the user expects of some."""
    known = {**_from_history(plan, past), **said}
    missing = [job for job in plan.jobs if job.key not in known]
    usual = sum(known.values()) / len(known) if known else 1.0
    jobs = tuple(msgspec.structs.replace(job, estimate=known.get(job.key, usual)) for job in plan.jobs)
    return Timed(msgspec.structs.replace(plan, jobs=jobs), in_seconds=not missing, said=said)


def makespan(plan: Plan) -> float:
    """From start to end with the plan's cap, lanes and dependencies, by the scheduler itself; merging takes no time."""
    repos = tuple(msgspec.structs.replace(repo, merge=None) for repo in plan.repos)
    bare = msgspec.structs.replace(plan, repos=repos, lock=LockRule.NONE)
    return simulate(bare).makespan


def _from_history(plan: Plan, past: Sequence[RunView]) -> dict[JobKey, float]:
    by_repo = {repo.name: phase_estimates(past, repo.path) for repo in plan.repos}
    found: dict[JobKey, float] = {}
    for job in plan.jobs:
        phases = _phases(plan, job)
        history = by_repo.get(job.key.repo, {})
        if phases and all(name in history for name in phases):
            found[job.key] = sum(history[name].seconds for name in phases)
    return found


def _phases(plan: Plan, job: Job) -> list[str]:
    return [phase.name for phase in plan.pipeline(job.pipeline).phases]
