"""The dependency graph of a plan: is it one, and how long is the way from each job to the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weft.errors import UsageError
from weft.model.ids import JobKey
from weft.model.job import Job
from weft.model.plan import Plan


def check_plan(plan: Plan) -> None:
    """Raises UsageError for unknown references and cycles, naming all of the first and the whole of the second."""
    known = {job.key for job in plan.jobs}
    unknown = [f"{job.key} depends on {need}" for job in plan.jobs for need in job.depends_on if need not in known]
    if unknown:
        raise UsageError(f"Unknown dependencies: {'; '.join(unknown)}")
    cycle = find_cycle(plan.jobs)
    if cycle:
        raise UsageError(
            f"Dependency cycle: {' → '.join(map(str, cycle))}",
            hint="take one of these `depends_on` entries out",
        )


def topological(jobs: Sequence[Job]) -> list[Job]:
    """Dependencies first, else as listed; jobs on a cycle, or behind one, are left out."""
    unmet = {job.key: len(set(job.depends_on)) for job in jobs}
    dependents = dependents_of(jobs)
    ready = [job for job in jobs if not unmet[job.key]]
    for job in ready:  # grows while it is walked
        for dependent in dependents.get(job.key, ()):
            unmet[dependent.key] -= 1
            if not unmet[dependent.key]:
                ready.append(dependent)
    return ready


def dependents_of(jobs: Sequence[Job]) -> dict[JobKey, list[Job]]:
    found: dict[JobKey, list[Job]] = {}
    for job in jobs:
        for need in dict.fromkeys(job.depends_on):
            found.setdefault(need, []).append(job)
    return found


def find_cycle(jobs: Sequence[Job]) -> list[JobKey]:
    """A cycle, closed (its first key again at the end); empty if there is none."""
    ordered = {job.key for job in topological(jobs)}
    stuck = {job.key: job for job in jobs if job.key not in ordered}
    if not stuck:
        return []
    # Every stuck job has a stuck dependency, so walking those must come back to where it has been.
    path: list[JobKey] = []
    seen: dict[JobKey, int] = {}
    key = next(iter(stuck))
    while key not in seen:
        seen[key] = len(path)
        path.append(key)
        key = next(need for need in stuck[key].depends_on if need in stuck)
    return [*path[seen[key] :], key]


def longest_paths(jobs: Sequence[Job], dependents: Mapping[JobKey, Sequence[Job]]) -> dict[JobKey, float]:
    """For each job its own estimate plus the longest way through those that wait for it."""
    lengths: dict[JobKey, float] = {}
    for job in reversed(topological(jobs)):
        ahead = max((lengths[dependent.key] for dependent in dependents.get(job.key, ())), default=0.0)
        lengths[job.key] = job.estimate + ahead
    return lengths


def levels(jobs: Sequence[Job]) -> list[list[JobKey]]:
    """The waves of the graph: each level needs only those before it."""
    level: dict[JobKey, int] = {}
    for job in topological(jobs):
        level[job.key] = 1 + max((level[need] for need in job.depends_on), default=-1)
    rows: list[list[JobKey]] = [[] for _ in range(max(level.values(), default=-1) + 1)]
    for key, number in level.items():
        rows[number].append(key)
    return rows
