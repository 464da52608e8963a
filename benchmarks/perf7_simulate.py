"""PERF-7: a million jobs on ten thousand repos, a random graph of dependencies, in virtual time."""

from __future__ import annotations

import gc
import random

from benchmarks.row import Bound, Row
from benchmarks.timing import cpu_seconds
from weft.model.ids import JobKey
from weft.model.job import Job
from weft.model.phase import Phase, Pipeline, StepKind
from weft.model.plan import Mode, Plan
from weft.scheduler.simulate import simulate

SMALL = 10_000
LARGE = 1_000_000
JOBS_PER_REPO = 100


def random_plan(size: int) -> Plan:
    """Each job waits for up to two of the thousand before it; as many slots as repos."""
    chance = random.Random(size)
    repos = size // JOBS_PER_REPO
    jobs: list[Job] = []
    for number in range(size):
        needs = chance.randrange(3) if jobs else 0
        depends_on = tuple(jobs[chance.randrange(max(0, number - 1000), number)].key for _ in range(needs))
        repo = f"repo-{number % repos}"
        key = JobKey(repo, str(number))
        takes = chance.uniform(60, 3600)
        branch = f"weft/{number}"  # with a workspace each: the whole way, as `weft wave` goes it
        jobs.append(Job(key=key, title="job", lane=repo, branch=branch, depends_on=depends_on, estimate=takes))
    pipeline = Pipeline("default", (Phase("work", (StepKind.SESSION,)),))
    return Plan(mode=Mode.WAVE, jobs=tuple(jobs), cap=repos, pipelines=(pipeline,))


def seconds_per_job(size: int, times: int) -> tuple[float, float]:
    """And events in a second, over all the times together."""
    plan = random_plan(size)
    gc.collect()
    seconds = 0.0
    events = 0
    for _ in range(times):
        taken, result = cpu_seconds(lambda: simulate(plan))
        seconds += taken
        events += result.events
    return seconds / (size * times), events / seconds


def measure() -> list[Row]:
    """As many jobs in small plans as in the large one, so that a busy machine disturbs both alike."""
    small, _ = seconds_per_job(SMALL, times=LARGE // SMALL)
    large, rate = seconds_per_job(LARGE, times=1)
    work = f"simulate {LARGE:,} jobs, {LARGE // JOBS_PER_REPO:,} repos"
    each = f"{large * 1e6:.1f} µs of processor time per job, {small * 1e6:.1f} µs at {SMALL:,}"
    return [
        Row(7, f"{work}: growth", each, large / small, Bound.AT_MOST, 1.5),
        Row(
            7,
            f"{work}: rate",
            f"{rate:,.0f} events per second of processor time",
            rate,
            Bound.AT_LEAST,
            100_000,
            "events/s",
        ),
    ]
