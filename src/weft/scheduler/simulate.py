"""A plan in virtual time: the scheduler itself decides, everything it orders succeeds, and nothing is done."""

from __future__ import annotations

import gc
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from heapq import heappop, heappush
from itertools import count
from typing import Any

import msgspec

from weft.errors import DefectError
from weft.model.commands import (
    CloseWorkspace,
    Command,
    PrepareWorkspace,
    RunGates,
    RunSession,
    StopAttempt,
    StopPreparing,
    WakeAt,
    WriteNote,
)
from weft.model.events import (
    AttemptStarted,
    GatesEnded,
    Input,
    RunStarted,
    SessionEnded,
    TimerFired,
    WorkspaceClosed,
    WorkspaceReady,
)
from weft.model.ids import AttemptId, RunId
from weft.model.job import Job, JobStatus
from weft.model.outcome import SessionOutcome, Verdict
from weft.model.phase import Phase, StepKind
from weft.model.plan import Plan
from weft.scheduler.state import State
from weft.scheduler.step import step

Durations = Callable[[Job, Phase], float]
"""How long one attempt at a phase of a job takes, in seconds."""

_GOOD = SessionOutcome(verdict=Verdict(approved=True), changed=False)


class Simulation(msgspec.Struct, frozen=True):
    """What the run would come to."""

    makespan: float
    """From its start to the end of its last job, in seconds."""
    work: float
    """The seconds of all attempts together."""
    utilisation: float
    """Work in relation to what the cap would allow in that time."""
    peak: int
    """The most jobs in flight at once."""
    events: int
    """As many as the journal of such a run would hold: inputs and notes."""
    statuses: dict[JobStatus, int]


def simulate(plan: Plan, durations: Durations | None = None) -> Simulation:
    """Without `durations`, each job takes its estimate, shared evenly by its phases."""
    with _no_collections():
        return _World(plan, durations or _shares(plan)).run()


def _shares(plan: Plan) -> Durations:
    phases = {pipeline.name: len(pipeline.phases) for pipeline in plan.pipelines}
    return lambda job, phase: job.estimate / phases[job.pipeline]


@contextmanager
def _no_collections() -> Iterator[None]:
    """Nothing becomes garbage in cycles here, and looking for it would visit each job again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _World:
    """Answers every command well: what takes no time at once, the rest when it is due."""

    def __init__(self, plan: Plan, durations: Durations) -> None:
        self._plan = plan
        self._durations = durations
        self._state = State(RunId("simulation"))
        self._now = 0.0
        self._at_once: deque[Input] = deque()
        self._later: list[tuple[float, int, Input]] = []
        self._tickets = count()
        self._events = 0
        self._work = 0.0
        self._peak = 0
        self._answers: dict[type[Command], Callable[[Any], None]] = {
            WriteNote: self._note,
            PrepareWorkspace: self._prepare,
            RunGates: self._run_gates,
            RunSession: self._run_session,
            CloseWorkspace: self._close,
            WakeAt: self._wake,
            StopAttempt: self._stop,
            StopPreparing: self._stop,
        }

    def run(self) -> Simulation:
        self._at_once.append(RunStarted(at=0.0, plan=self._plan))
        while self._at_once or self._later:
            if self._at_once:
                event = self._at_once.popleft()
            else:
                self._now, _, event = heappop(self._later)
            self._events += 1
            for command in step(self._state, event):
                self._answers[type(command)](command)
            self._peak = max(self._peak, self._state.in_flight)
        if not self._state.over:
            raise DefectError("the simulated run came to a halt before its end")
        return self._result()

    def _result(self) -> Simulation:
        most = self._now * self._plan.cap
        statuses = Counter(job.status for job in self._state.jobs.values() if job.status)
        return Simulation(
            makespan=self._now,
            work=self._work,
            utilisation=self._work / most if most else 0.0,
            peak=self._peak,
            events=self._events,
            statuses=dict(statuses),
        )

    def _due(self, at: float, event: Input) -> None:
        heappush(self._later, (at, next(self._tickets), event))

    def _note(self, command: WriteNote) -> None:
        self._events += 1

    def _prepare(self, command: PrepareWorkspace) -> None:
        self._at_once.append(WorkspaceReady(at=self._now, job=command.job, path=""))

    def _run_gates(self, command: RunGates) -> None:
        ends = self._begin(command.attempt, command.first, StepKind.GATES)
        self._due(ends, GatesEnded(at=ends, attempt=command.attempt))

    def _run_session(self, command: RunSession) -> None:
        ends = self._begin(command.attempt, command.first, StepKind.SESSION)
        self._due(ends, SessionEnded(at=ends, attempt=command.attempt, outcome=_GOOD))

    def _begin(self, attempt: AttemptId, first: bool, kind: StepKind) -> float:
        """When the step that begins now ends; an attempt's time is spent in its last step."""
        if first:
            self._at_once.append(AttemptStarted(at=self._now, attempt=attempt))
        job = self._state.jobs[attempt.job]
        if kind is not job.phase.steps[-1]:
            return self._now
        takes = self._durations(job.job, job.phase)
        self._work += takes
        return self._now + takes

    def _close(self, command: CloseWorkspace) -> None:
        self._at_once.append(WorkspaceClosed(at=self._now, job=command.job))

    def _wake(self, command: WakeAt) -> None:
        self._due(command.at, TimerFired(at=command.at))

    def _stop(self, command: StopAttempt | StopPreparing) -> None:
        """What is to be stopped ends by itself."""
