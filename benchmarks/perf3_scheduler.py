"""PERF-3: a hundred repos with a hundred jobs of 10 ms each, listed repo by repo, a cap of a hundred, real asyncio."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from benchmarks.row import Bound, Row
from benchmarks.timing import best, wall_seconds
from weft.engine.clock import SteadyClock
from weft.engine.engine import Engine
from weft.model.commands import CloseWorkspace, Command, PrepareWorkspace, RunSession
from weft.model.events import AttemptStarted, SessionEnded, WorkspaceClosed, WorkspaceReady
from weft.model.ids import JobKey, RunId
from weft.model.job import Job
from weft.model.outcome import SessionOutcome
from weft.model.phase import Phase, Pipeline, StepKind
from weft.model.plan import Mode, Plan
from weft.ports import Clock, Emit, Journal
from weft.stores.memory import MemoryJournal
from weft.stores.sqlite import SqliteJournal

REPOS = 100
ISSUES = 100
SECONDS = 0.01
IDEAL = REPOS * ISSUES * SECONDS / REPOS
RUN = RunId("r-bench")
TIMES = 3


class SleepingHands:
    """The work is a sleep; workspaces are there at once."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def perform(self, command: Command, emit: Emit) -> None:
        now = self._clock.now
        match command:
            case PrepareWorkspace():
                await emit(WorkspaceReady(at=now(), job=command.job, path=""))
            case RunSession():
                await emit(AttemptStarted(at=now(), attempt=command.attempt))
                await asyncio.sleep(SECONDS)
                await emit(SessionEnded(at=now(), attempt=command.attempt, outcome=SessionOutcome()))
            case CloseWorkspace():
                await emit(WorkspaceClosed(at=now(), job=command.job))
            case _:
                raise AssertionError(command)


def the_plan() -> Plan:
    """Listed repo by repo: who takes a slot first and waits for the repo then has one of them run at a time."""
    jobs = tuple(
        Job(key=JobKey(f"repo-{repo}", str(issue)), title="job", lane=f"repo-{repo}", branch=f"weft/{issue}")
        for repo in range(REPOS)
        for issue in range(ISSUES)
    )
    pipeline = Pipeline("default", (Phase("work", (StepKind.SESSION,)),))
    return Plan(mode=Mode.WAVE, jobs=jobs, cap=REPOS, pipelines=(pipeline,))


async def drive(journal: Journal, plan: Plan) -> None:
    async with Engine(journal, lambda run, of, clock: SleepingHands(clock), SteadyClock) as engine:
        await (await engine.start(RUN, plan)).finished()


async def only_sleep() -> None:
    """What is left of the ideal when asyncio does nothing else."""

    async def lane() -> None:
        for _ in range(ISSUES):
            await asyncio.sleep(SECONDS)

    await asyncio.gather(*(lane() for _ in range(REPOS)))


@contextmanager
def on_disk() -> Iterator[Journal]:
    with tempfile.TemporaryDirectory() as folder, SqliteJournal(Path(folder) / "weft.db") as journal:
        yield journal


def in_memory(plan: Plan) -> float:
    return wall_seconds(lambda: asyncio.run(drive(MemoryJournal(), plan)))[0]


def durable(plan: Plan) -> float:
    with on_disk() as journal:
        return wall_seconds(lambda: asyncio.run(drive(journal, plan)))[0]


def measure() -> list[Row]:
    plan = the_plan()
    work = f"{REPOS} repos × {ISSUES} issues of {SECONDS * 1000:.0f} ms, cap {REPOS}"
    bare = wall_seconds(lambda: asyncio.run(only_sleep()))[0]
    rows = [Row(3, f"{work}, bare asyncio that only sleeps", f"{bare:.2f} s, ideal {IDEAL:.2f} s", bare / IDEAL)]
    for name, once in (("in memory", in_memory), ("on disk", durable)):
        taken = best(TIMES, partial(once, plan))
        measured = f"{taken:.2f} s, best of {TIMES}, ideal {IDEAL:.2f} s"
        rows.append(Row(3, f"{work}, journal {name}", measured, taken / IDEAL, Bound.AT_MOST, 1.5))
    return rows
