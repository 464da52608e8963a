"""What a plan would come to: the scheduler's own order and decisions, and what history lets one expect (RUN-19)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush

import msgspec

from weft.board.estimates import PlanEstimate, phase_estimates, plan_estimate
from weft.board.views import RunView
from weft.model.commands import WriteNote
from weft.model.events import JobEnded, RunStarted
from weft.model.ids import JobKey, RunId
from weft.model.job import Job
from weft.model.plan import Plan
from weft.scheduler.graph import dependents_of, levels, longest_paths
from weft.scheduler.state import State
from weft.scheduler.step import step


class Outlook(msgspec.Struct, frozen=True):
    order: tuple[JobKey, ...]
    """Those that would run, as they would be started one at a time."""
    levels: tuple[tuple[JobKey, ...], ...]
    critical_path: tuple[JobKey, ...]
    ended: dict[JobKey, JobEnded]
    """Those that would end without a start: skipped or parked."""
    estimate: PlanEstimate
    unknown: tuple[str, ...]
    """Phases that history says nothing about."""


def outlook(plan: Plan, past: Iterable[RunView]) -> Outlook:
    state = State(RunId("dry-run"))
    commands = step(state, RunStarted(at=0.0, plan=plan))
    notes = [command.note for command in commands if isinstance(command, WriteNote)]
    ended = {note.job: note for note in notes if isinstance(note, JobEnded)}
    jobs = _left(plan.jobs, ended)
    smaller = msgspec.structs.replace(plan, jobs=jobs)
    history = phase_estimates(past)
    phases = {phase.name: None for job in jobs for phase in plan.pipeline(job.pipeline).phases}
    return Outlook(
        order=tuple(_order(jobs, state)),
        levels=tuple(map(tuple, levels(jobs))),
        critical_path=tuple(_critical_path(jobs)),
        ended=ended,
        estimate=plan_estimate(smaller, history),
        unknown=tuple(name for name in phases if name not in history),
    )


def _left(jobs: Sequence[Job], ended: dict[JobKey, JobEnded]) -> tuple[Job, ...]:
    """Those that would run; what they need of the others is there already."""
    return tuple(
        msgspec.structs.replace(
            job,
            depends_on=tuple(need for need in job.depends_on if need not in ended),
            after=tuple(need for need in job.after if need not in ended),
        )
        for job in jobs
        if job.key not in ended
    )


def _order(jobs: Sequence[Job], state: State) -> list[JobKey]:
    """By the scheduler's ranks, dependencies first."""
    dependents = dependents_of(jobs)
    unmet = {job.key: len(job.waits_for) for job in jobs}
    ready = [(state.jobs[job.key].rank, job.key) for job in jobs if not unmet[job.key]]
    heapify(ready)
    ordered: list[JobKey] = []
    while ready:
        _, key = heappop(ready)
        ordered.append(key)
        for dependent in dependents.get(key, ()):
            unmet[dependent.key] -= 1
            if not unmet[dependent.key]:
                heappush(ready, (state.jobs[dependent.key].rank, dependent.key))
    return ordered


def _critical_path(jobs: Sequence[Job]) -> list[JobKey]:
    """The longest chain of jobs that wait for each other."""
    dependents = dependents_of(jobs)
    lengths = longest_paths(jobs)
    path: list[JobKey] = []
    candidates: Sequence[Job] = [job for job in jobs if not job.waits_for]
    while candidates:
        path.append(max(candidates, key=lambda job: lengths[job.key]).key)
        candidates = dependents.get(path[-1], ())
    return path
