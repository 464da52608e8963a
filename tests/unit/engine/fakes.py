"""Hands that do nothing but answer, a journal that can break, and plans to drive with them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence

from tests.virtual_time import VirtualClock

from weft.engine.engine import Engine
from weft.errors import StoreError
from weft.model.commands import (
    CloseWorkspace,
    Command,
    PrepareWorkspace,
    RunGates,
    RunSession,
    StopAttempt,
    WriteNote,
)
from weft.model.events import (
    AnyEvent,
    AttemptStarted,
    GatesEnded,
    Input,
    JobEnded,
    Note,
    SessionEnded,
    WorkspaceClosed,
    WorkspaceReady,
)
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import Job, JobStatus
from weft.model.outcome import Failure, GateResult, SessionOutcome, Verdict
from weft.model.phase import FailureClass, Phase, Pipeline, RetryPolicy, StepKind
from weft.model.plan import AgentKind, AgentSpec, Lane, Mode, Plan
from weft.ports import Clock, Emit
from weft.scheduler.step import replay
from weft.stores.memory import MemoryJournal

RUN = RunId("r-1")
GOOD = SessionOutcome(verdict=Verdict(approved=True), commit="c1")
TRANSIENT = SessionOutcome(failure=Failure(FailureClass.TRANSIENT, "overloaded"))
NOT_APPROVED = SessionOutcome(verdict=Verdict(False, ("no test",)))
WORK = SessionOutcome(failure=Failure(FailureClass.WORK, "gave up"))
RED = (GateResult("test", "make test", False, 1, 1.0, "boom"),)

Script = dict[tuple[str, str], list[SessionOutcome | tuple[GateResult, ...]]]
"""What comes of the first, second… try at a phase, by job and phase; well after that."""


class FakeHands:
    """Sessions take ten seconds, gates two, workspaces one. What comes of each is read off the journal and a script."""

    def __init__(self, run: RunId, journal: SlowJournal, clock: Clock, script: Script | None = None) -> None:
        self.run = run
        self.journal = journal
        self.clock = clock
        self.script = script or {}
        self.performed: list[Command] = []
        self.stopped: dict[AttemptId, asyncio.Event] = {}

    async def perform(self, command: Command, emit: Emit) -> None:
        self._check_it_was_written_first(command)
        self.performed.append(command)
        match command:
            case PrepareWorkspace():
                await self.clock.sleep(1)
                await emit(WorkspaceReady(at=self.clock.now(), job=command.job, path="/w", head=command.head or "c0"))
            case RunGates():
                await self._run_gates(command, emit)
            case RunSession():
                await self._run_session(command, emit)
            case StopAttempt():
                self.stopped.setdefault(command.attempt, asyncio.Event()).set()
            case CloseWorkspace():
                await self.clock.sleep(1)
                await emit(WorkspaceClosed(at=self.clock.now(), job=command.job, commit="c1"))
            case _:
                raise AssertionError(command)

    def _check_it_was_written_first(self, command: Command) -> None:
        """What is in the journal by now must lead to this very command (RECOVER-1)."""
        _, commands = replay(self.run, inputs(self.journal.all_of(self.run)))
        assert command in commands, f"{command} was ordered by events that are not on disk"

    async def _run_gates(self, command: RunGates, emit: Emit) -> None:
        results = self._scripted(command.attempt, GatesEnded, ())
        assert isinstance(results, tuple)
        if command.first:
            await emit(AttemptStarted(at=self.clock.now(), attempt=command.attempt))
        await self._work(command.attempt, 2)
        await emit(GatesEnded(at=self.clock.now(), attempt=command.attempt, results=results))

    async def _run_session(self, command: RunSession, emit: Emit) -> None:
        outcome = self._scripted(command.attempt, SessionEnded, GOOD)
        assert isinstance(outcome, SessionOutcome)
        if command.first:
            await emit(AttemptStarted(at=self.clock.now(), attempt=command.attempt))
        if await self._work(command.attempt, 10):
            outcome = SessionOutcome(failure=Failure(FailureClass.KILLED, "stopped"))
        await emit(SessionEnded(at=self.clock.now(), attempt=command.attempt, outcome=outcome))

    async def _work(self, attempt: AttemptId, seconds: float) -> bool:
        """Whether it was stopped."""
        stop = self.stopped.setdefault(attempt, asyncio.Event())
        try:
            async with asyncio.timeout(seconds):
                await stop.wait()
        except TimeoutError:
            return False
        return True

    def _scripted(
        self,
        attempt: AttemptId,
        kind: type[GatesEnded] | type[SessionEnded],
        well: SessionOutcome | tuple[GateResult, ...],
    ) -> SessionOutcome | tuple[GateResult, ...]:
        """The tries whose end is in the journal are over; the next one is the one the script has next."""
        if (attempt.job.id, attempt.phase) not in self.script:
            return well
        tries = [
            event
            for event in self.journal.all_of(self.run)
            if isinstance(event, kind) and (event.attempt.job, event.attempt.phase) == (attempt.job, attempt.phase)
        ]
        of_this_kind = [
            answer
            for answer in self.script[attempt.job.id, attempt.phase]
            if isinstance(answer, SessionOutcome) == (kind is SessionEnded)
        ]
        return of_this_kind[len(tries)] if len(tries) < len(of_this_kind) else well


class TrustingHands(FakeHands):
    """For plans so big that replaying them at each command would take for ever."""

    def _check_it_was_written_first(self, command: Command) -> None:
        """Checked by others."""


class SlowJournal(MemoryJournal):
    """Takes a while to write, may break at the n-th group, and remembers the groups."""

    def __init__(self, breaks_at: int | None = None) -> None:
        super().__init__()
        self.groups: list[tuple[AnyEvent, ...]] = []
        self.breaks_at = breaks_at

    async def append(self, run: RunId, events: Sequence[AnyEvent]) -> int:
        await asyncio.sleep(0.05)
        if self.breaks_at is not None and len(self.groups) >= self.breaks_at:
            raise StoreError("database is full")
        self.groups.append(tuple(events))
        return await super().append(run, events)

    def all_of(self, run: RunId) -> list[AnyEvent]:
        return [entry.event for entry in self.read(run)]


class World:
    """A journal, an engine on it, the hands it made."""

    make: type[FakeHands] = FakeHands

    def __init__(self, journal: SlowJournal | None = None, script: Script | None = None) -> None:
        self.journal = journal or SlowJournal()
        self.script = script
        self.hands: list[FakeHands] = []

    def engine(self) -> Engine:
        return Engine(self.journal, self._make_hands, VirtualClock)

    def _make_hands(self, run: RunId, plan: Plan, clock: Clock) -> FakeHands:
        self.hands.append(self.make(run, self.journal, clock, self.script))
        return self.hands[-1]

    @property
    def events(self) -> list[AnyEvent]:
        return self.journal.all_of(RUN)

    @property
    def performed(self) -> list[Command]:
        return [command for hands in self.hands for command in hands.performed]

    def statuses(self) -> dict[str, JobStatus]:
        return {event.job.id: event.status for event in self.events if isinstance(event, JobEnded)}


def inputs(events: Iterable[AnyEvent]) -> list[Input]:
    return [event for event in events if not isinstance(event, Note)]


def notes(events: Iterable[AnyEvent]) -> list[AnyEvent]:
    return [event for event in events if isinstance(event, Note)]


def drawn(events: Iterable[AnyEvent]) -> list[Note]:
    """The notes that replaying gives."""
    return [command.note for command in replay(RUN, inputs(events))[1] if isinstance(command, WriteNote)]


def job(ident: str, *needs: str, pipeline: str = "whole", lane: str = "shop") -> Job:
    depends_on = tuple(JobKey("shop", need) for need in needs)
    return Job(
        key=JobKey("shop", ident),
        title=f"Job {ident}",
        lane=lane,
        branch=f"weft/{ident}",
        pipeline=pipeline,
        depends_on=depends_on,
    )


RETRY = RetryPolicy(classes=(FailureClass.TRANSIENT,), times=1)
WHOLE = Pipeline(
    "whole",
    (
        Phase("spec", (StepKind.SESSION,), agent="mine", retry=RETRY),
        Phase("exec", (StepKind.SESSION,), agent="mine", writes=True),
        Phase("qa", (StepKind.GATES, StepKind.SESSION), agent="mine", verdict=True, mends="exec"),
    ),
)
SHORT = Pipeline("short", (Phase("work", (StepKind.SESSION,), agent="mine"),))


def plan(*jobs: Job, cap: int = 2, change: Callable[[Plan], Plan] = lambda made: made, sessions: int = 9) -> Plan:
    return change(
        Plan(
            mode=Mode.PARALLEL,
            jobs=jobs,
            cap=cap,
            lanes=(Lane("shop", 99),),
            pipelines=(WHOLE, SHORT),
            agents=(AgentSpec("mine", AgentKind.COMMAND, max_sessions=sessions),),
        )
    )
