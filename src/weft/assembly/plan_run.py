"""`weft run` as a plan: which jobs, in which mode, under which limits."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import msgspec

from weft.model.ids import JobKey
from weft.model.job import Job
from weft.model.phase import Pipeline
from weft.model.plan import AgentSpec, Lane, Mode, Order, Plan, Repo, StopRule


class Way(Enum):
    """How several issues go together."""

    PARALLEL = "parallel"
    SEQUENTIAL = "sequential"
    CHAIN = "chain"


def run_plan(
    *,
    way: Way,
    cap: int,
    jobs: Sequence[Job],
    repo: Repo,
    pipeline: Pipeline,
    agents: tuple[AgentSpec, ...],
    grace: float,
    command: str,
) -> Plan:
    """The jobs of one repo. Its lane never binds before the cap does; with a merge queue it is as wide as the cap, so
    that what stands in the queue counts and the next job starts from what the ones before it left.
    """
    ordered = _chained(jobs) if way is Way.CHAIN else list(jobs)
    return Plan(
        mode=_mode(way, len(jobs)),
        jobs=tuple(msgspec.structs.replace(job, pipeline=pipeline.name) for job in ordered),
        cap=cap if way is Way.PARALLEL else 1,
        repos=(repo,),
        lanes=(Lane(repo.name, 0 if repo.merge else max(1, len(jobs))),),
        pipelines=(pipeline,),
        agents=agents,
        stop={Way.PARALLEL: StopRule.CONTINUE, Way.SEQUENTIAL: StopRule.STOP, Way.CHAIN: StopRule.CHAIN}[way],
        order=Order.LONGEST_PATH if way is Way.PARALLEL else Order.LISTED,
        grace=grace,
        command=command,
    )


def _mode(way: Way, count: int) -> Mode:
    if way is Way.CHAIN:
        return Mode.CHAIN
    if count == 1:
        return Mode.SINGLE
    return Mode.SEQUENTIAL if way is Way.SEQUENTIAL else Mode.PARALLEL


def _chained(jobs: Sequence[Job]) -> list[Job]:
    """Each depends on the one before it, as its last dependency: that is where it starts."""
    chained: list[Job] = []
    before: JobKey | None = None
    for job in jobs:
        if before is not None:
            needs = (*(need for need in job.depends_on if need != before), before)
            job = msgspec.structs.replace(job, depends_on=needs)
        chained.append(job)
        before = job.key
    return chained
