"""The dependency graph of a plan: is it one, and how long is the way from each job to the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from weft.errors import UsageError
from weft.model.ids import JobKey
from weft.model.job import Job
from weft.model.plan import Plan


class Graph:
    """Who waits for whom, by place in the plan: numbers rather than keys, since a plan may hold a million jobs."""

    __slots__ = ("dependents", "jobs", "needs")

    def __init__(self, jobs: Sequence[Job]) -> None:
        place = {job.key: number for number, job in enumerate(jobs)}
        self.jobs = jobs
        self.needs = [_places(job, place) for job in jobs]
        self.dependents: list[list[int]] = [[] for _ in jobs]
        for number, needs in enumerate(self.needs):
            for need in needs:
                self.dependents[need].append(number)

    def ordered(self) -> list[int]:
        """Dependencies first, else as listed; jobs on a cycle, or behind one, are left out."""
        unmet = [len(needs) for needs in self.needs]
        ready = [number for number, count in enumerate(unmet) if not count]
        for number in ready:  # grows while it is walked
            for dependent in self.dependents[number]:
                unmet[dependent] -= 1
                if not unmet[dependent]:
                    ready.append(dependent)
        return ready

    def lengths(self) -> list[float]:
        """For each job its own estimate plus the longest way through those that wait for it."""
        lengths = [0.0] * len(self.jobs)
        for number in reversed(self.ordered()):
            ahead = max([lengths[dependent] for dependent in self.dependents[number]], default=0.0)
            lengths[number] = self.jobs[number].estimate + ahead
        return lengths


def _places(job: Job, place: dict[JobKey, int]) -> Sequence[int]:
    """Each dependency once."""
    return [place[key] for key in job.waits_for] if job.depends_on or job.after else ()


def check_plan(plan: Plan) -> None:
    """Raises UsageError for doubles, unknown references and cycles, naming all of the first two and the whole cycle."""
    counts = Counter(job.key for job in plan.jobs)
    doubles = [str(key) for key, count in counts.items() if count > 1]
    if doubles:
        raise UsageError(f"Jobs named twice: {', '.join(doubles)}")
    unknown = [f"{job.key} depends on {need}" for job in plan.jobs for need in job.waits_for if need not in counts]
    if unknown:
        raise UsageError(f"Unknown dependencies: {'; '.join(unknown)}")
    cycle = find_cycle(plan.jobs)
    if cycle:
        raise UsageError(
            f"Dependency cycle: {' → '.join(map(str, cycle))}",
            hint="take one of these `depends_on` entries out",
        )


def find_cycle(jobs: Sequence[Job]) -> list[JobKey]:
    """A cycle, closed (its first key again at the end); empty if there is none."""
    graph = Graph(jobs)
    ordered = set(graph.ordered())
    number = next((each for each in range(len(jobs)) if each not in ordered), None)
    if number is None:
        return []
    # Every job left out has a dependency left out, so walking those must come back to where it has been.
    path: list[int] = []
    seen: dict[int, int] = {}
    while number not in seen:
        seen[number] = len(path)
        path.append(number)
        number = next(need for need in graph.needs[number] if need not in ordered)
    return [jobs[each].key for each in (*path[seen[number] :], number)]


def dependents_of(jobs: Sequence[Job]) -> dict[JobKey, list[Job]]:
    """Those that wait for each job; jobs that nobody waits for are left out."""
    graph = Graph(jobs)
    return {
        job.key: [jobs[number] for number in dependents]
        for job, dependents in zip(jobs, graph.dependents, strict=True)
        if dependents
    }


def longest_paths(jobs: Sequence[Job]) -> dict[JobKey, float]:
    """The longest way from the start of each job to the end of all that wait for it."""
    return {job.key: length for job, length in zip(jobs, Graph(jobs).lengths(), strict=True)}


def levels(jobs: Sequence[Job]) -> list[list[JobKey]]:
    """The waves of the graph: each level needs only those before it."""
    graph = Graph(jobs)
    level: dict[int, int] = {}
    for number in graph.ordered():
        level[number] = 1 + max((level[need] for need in graph.needs[number]), default=-1)
    rows: list[list[JobKey]] = [[] for _ in range(max(level.values(), default=-1) + 1)]
    for number, row in level.items():
        rows[row].append(jobs[number].key)
    return rows
