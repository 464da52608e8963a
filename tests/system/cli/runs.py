"""Runs for commands to look at: written into a journal by hand, or really under way in a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from weft.engine.clock import SteadyClock
from weft.engine.engine import Engine
from weft.engine.run import Run
from weft.model.commands import CloseWorkspace, Command, PrepareWorkspace, RunSession, StopAttempt
from weft.model.events import (
    AnyEvent,
    AttemptStarted,
    JobAdmitted,
    JobEnded,
    PhaseEnded,
    RunEnded,
    RunStarted,
    SessionEnded,
    WorkspaceClosed,
    WorkspaceReady,
)
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import Job, JobStatus
from weft.model.layout import Layout
from weft.model.outcome import Failure, PhaseStatus, SessionOutcome
from weft.model.phase import FailureClass, Phase, Pipeline, StepKind
from weft.model.plan import Gate, Lane, Mode, Plan, Repo
from weft.model.usage import Usage
from weft.ports import Emit
from weft.stores.claims import claim_run
from weft.stores.sqlite import SqliteJournal

START = 1_770_000_000.0
PIPELINE = Pipeline("default", (Phase("exec", (StepKind.SESSION,), agent="mine", writes=True),))


def key(ident: str, repo: str = "shop") -> JobKey:
    return JobKey(repo, ident)


def plan(*idents: str, path: Path, cap: int = 3, needs: dict[str, str] | None = None, repo: str = "shop") -> Plan:
    """`needs`: which job waits for which."""
    jobs = tuple(
        Job(
            key(ident, repo),
            f"Title {ident}",
            lane=repo,
            branch=f"weft/{ident}-title",
            depends_on=tuple(key(need, repo) for job, need in (needs or {}).items() if job == ident),
        )
        for ident in idents
    )
    mode = Mode.SINGLE if len(jobs) == 1 else Mode.PARALLEL
    repos = (Repo(repo, str(path), gates=(Gate("test", "make test"),)),)
    lanes = (Lane(repo, len(jobs)),)
    command = f"weft run {' '.join(idents)}"
    return Plan(mode, jobs, cap, repos=repos, lanes=lanes, pipelines=(PIPELINE,), command=command)


class Written:
    """A run in the journal, told event by event as the scheduler would have it."""

    def __init__(self, run: str, plan: Plan, at: float = START) -> None:
        self.run = RunId(run)
        self.at = at
        self.events: list[AnyEvent] = [RunStarted(at=at, plan=plan)]

    def add(self, *events: AnyEvent) -> Written:
        self.events.extend(events)
        return self

    def attempt(self, job: JobKey, number: int = 1) -> AttemptId:
        return AttemptId(self.run, job, "exec", number)

    def begins(self, job: JobKey, base: str = "b" * 40, path: str = "/ws") -> Written:
        ready = WorkspaceReady(at=self.at, job=job, path=path, branch=f"weft/{job.id}-title", base=base, head=base)
        started = AttemptStarted(at=self.at, attempt=self.attempt(job), agent="mine", model="m1")
        return self.add(JobAdmitted(at=self.at, job=job), ready, started)

    def passes(self, job: JobKey, seconds: float = 60.0, cost: float | None = 0.25) -> Written:
        self.begins(job)
        self.at += seconds
        outcome = SessionOutcome(usage=Usage(100, 10, 0, cost, 1), commit="c" * 40, changed=True)
        self.add(SessionEnded(at=self.at, attempt=self.attempt(job), outcome=outcome))
        self.add(PhaseEnded(at=self.at, attempt=self.attempt(job), status=PhaseStatus.PASSED))
        self.add(WorkspaceClosed(at=self.at, job=job, commit="c" * 40))
        branch = f"weft/{job.id}-title"
        return self.add(JobEnded(at=self.at, job=job, status=JobStatus.PASSED, branch=branch, commit="c" * 40))

    def fails(self, job: JobKey, kept: str | None = None, saved: tuple[str, ...] = ()) -> Written:
        self.begins(job, path=kept or "/ws")
        self.at += 5
        failure = Failure(FailureClass.WORK, "it broke")
        outcome = SessionOutcome(failure=failure, usage=Usage(1, 1, 0, None, 1))
        self.add(SessionEnded(at=self.at, attempt=self.attempt(job), outcome=outcome))
        self.add(PhaseEnded(at=self.at, attempt=self.attempt(job), status=PhaseStatus.FAILED, reason="it broke"))
        self.add(WorkspaceClosed(at=self.at, job=job, kept=kept, saved=saved))
        reason = "Phase exec failed"
        return self.add(JobEnded(at=self.at, job=job, status=JobStatus.FAILED, reason=reason, detail="it broke"))

    def over(self) -> Written:
        return self.add(RunEnded(at=self.at))


def write(state: Path, *runs: Written) -> None:
    asyncio.run(_write(state, runs))


async def _write(state: Path, runs: Sequence[Written]) -> None:
    with SqliteJournal(Path(Layout(str(state)).database)) as journal:
        for run in runs:
            await journal.append(run.run, run.events)


class SlowHands:
    """Sessions that run until they are stopped."""

    def __init__(self, clock: SteadyClock) -> None:
        self._clock = clock
        self._stops: dict[AttemptId, asyncio.Event] = {}

    async def perform(self, command: Command, emit: Emit) -> None:
        now = self._clock.now()
        match command:
            case PrepareWorkspace(job=job):
                branch = f"weft/{job.id}-title"
                await emit(WorkspaceReady(at=now, job=job, path="/ws", branch=branch, base="b" * 40, head="b" * 40))
            case RunSession(attempt=attempt):
                self._stops[attempt] = asyncio.Event()
                await emit(AttemptStarted(at=now, attempt=attempt, agent="mine"))
                await self._stops[attempt].wait()
                failure = Failure(FailureClass.KILLED, "stopped")
                await emit(SessionEnded(at=now, attempt=attempt, outcome=SessionOutcome(failure=failure)))
            case StopAttempt(attempt=attempt):
                self._stops[attempt].set()
            case CloseWorkspace(job=job):
                await emit(WorkspaceClosed(at=now, job=job))


@contextmanager
def under_way(state: Path, run: str, plan: Plan) -> Iterator[None]:
    """The run has a living owner with the real loop, which takes requests from the journal as `weft run` does."""
    running, leave = threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(_own(state, RunId(run), plan, running, leave)))
    with claim_run(state, RunId(run)):
        thread.start()
        try:
            assert running.wait(10)
            yield
        finally:
            leave.set()
            thread.join()


async def _own(state: Path, run: RunId, plan: Plan, running: threading.Event, leave: threading.Event) -> None:
    with SqliteJournal(Path(Layout(str(state)).database)) as journal:
        hands = lambda _run, _plan, clock: SlowHands(clock)  # noqa: E731
        async with Engine(journal, hands, SteadyClock) as engine:
            handle = await engine.start(run, plan)
            await _first_attempts(handle, min(plan.cap, sum(not job.depends_on for job in plan.jobs)))
            running.set()
            await asyncio.to_thread(leave.wait)


async def _first_attempts(run: Run, count: int) -> None:
    """Until as many jobs work as may."""
    async for event in run.events():
        count -= isinstance(event, AttemptStarted)
        if not count:
            return
