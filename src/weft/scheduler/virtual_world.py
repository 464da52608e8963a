"""The world in which plans are simulated: every command is answered well, at once or when it is due."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from typing import Any

from weft.errors import DefectError
from weft.model.commands import (
    CloseWorkspace,
    Command,
    GateMerge,
    GateTarget,
    HandOff,
    Land,
    MakeMerge,
    PrepareWorkspace,
    Publish,
    ReadTarget,
    ReleaseLock,
    RunGates,
    RunSession,
    StopAttempt,
    StopHandOff,
    StopPreparing,
    TakeLock,
    WakeAt,
    WriteNote,
)
from weft.model.events import (
    AttemptStarted,
    GatesEnded,
    HandoffEnded,
    Input,
    LandingEnded,
    LockTaken,
    MergeGated,
    MergeMade,
    Note,
    PublishEnded,
    RunStarted,
    SessionEnded,
    TargetGated,
    TargetRead,
    TimerFired,
    WorkspaceClosed,
    WorkspaceReady,
)
from weft.model.ids import AttemptId, RunId
from weft.model.job import Job, JobStatus, PullRequestRef
from weft.model.outcome import SessionOutcome, Verdict
from weft.model.phase import Phase, StepKind
from weft.model.plan import Plan
from weft.scheduler.state import State
from weft.scheduler.step import step

Durations = Callable[[Job, Phase], float]
"""How long one attempt at a phase of a job takes, in seconds."""
GateTimes = Callable[[str], float]
"""How long the gates of a repo take on a merged tree, in seconds."""
Watch = Callable[[float, Note], None]
"""Is told what the scheduler concludes, and when."""

_GOOD = SessionOutcome(verdict=Verdict(approved=True), changed=False)
_HEAD = "head"
"""Every branch's tip: nobody looks at it."""


class VirtualWorld:
    """What takes no time is answered at once, in order; the rest when it is due."""

    def __init__(self, plan: Plan, durations: Durations, gates: GateTimes, watch: Watch | None) -> None:
        self.now = 0.0
        self.events = 0
        self.work = 0.0
        self.peak = 0
        self._plan = plan
        self._durations = durations
        self._gates = gates
        self._watch = watch
        self._state = State(RunId("simulation"))
        self._at_once: deque[Input] = deque()
        self._later: list[float] = []
        """Times at which something is due, each once: a heap of numbers is small and quick."""
        self._due_at: dict[float, list[Input]] = {}
        self._tickets = count()
        self._answers: dict[type[Command], Callable[[Any], None]] = {
            WriteNote: self._count_note if watch is None else self._show_note,
            TakeLock: self._take_lock,
            ReleaseLock: self._nothing,
            PrepareWorkspace: self._prepare,
            RunGates: self._run_gates,
            RunSession: self._run_session,
            CloseWorkspace: self._close,
            ReadTarget: self._read_target,
            MakeMerge: self._make_merge,
            GateMerge: self._gate_merge,
            GateTarget: self._gate_target,
            Land: self._land,
            Publish: self._publish,
            HandOff: self._hand_off,
            StopHandOff: self._nothing,
            WakeAt: self._wake,
            StopAttempt: self._nothing,
            StopPreparing: self._nothing,
        }

    def run(self) -> None:
        """Once, to its end and no further: what was overtaken may still be due then."""
        state = self._state
        self._at_once.append(RunStarted(at=0.0, plan=self._plan))
        while not state.over:
            event = self._next()
            self.events += 1
            for command in step(state, event):
                self._answers[type(command)](command)
            if state.in_flight > self.peak:
                self.peak = state.in_flight
        self._answers.clear()  # they hold this world in a circle, which only a search for garbage would break

    def statuses(self) -> dict[JobStatus, int]:
        return dict(Counter(job.status for job in self._state.jobs.values() if job.status))

    def _next(self) -> Input:
        if self._at_once:
            return self._at_once.popleft()
        if not self._later:
            raise DefectError("the simulated run came to a halt before its end")
        self.now = heappop(self._later)
        first, *others = self._due_at.pop(self.now)
        self._at_once.extend(others)
        return first

    def _due(self, at: float, event: Input) -> None:
        due = self._due_at.get(at)
        if due is None:
            self._due_at[at] = [event]
            heappush(self._later, at)
        else:
            due.append(event)

    def _count_note(self, command: WriteNote) -> None:
        self.events += 1

    def _show_note(self, command: WriteNote) -> None:
        self.events += 1
        assert self._watch is not None
        self._watch(self.now, command.note)

    # ------------------------------------------------------------ jobs

    def _take_lock(self, command: TakeLock) -> None:
        self._at_once.append(LockTaken(at=self.now, job=command.job))

    def _prepare(self, command: PrepareWorkspace) -> None:
        self._at_once.append(WorkspaceReady(at=self.now, job=command.job, path="", head=_HEAD))

    def _run_gates(self, command: RunGates) -> None:
        ends = self._begin(command.attempt, command.first, StepKind.GATES)
        self._due(ends, GatesEnded(at=ends, attempt=command.attempt))

    def _run_session(self, command: RunSession) -> None:
        ends = self._begin(command.attempt, command.first, StepKind.SESSION)
        self._due(ends, SessionEnded(at=ends, attempt=command.attempt, outcome=_GOOD))

    def _begin(self, attempt: AttemptId, first: bool, kind: StepKind) -> float:
        """When the step that begins now ends; an attempt's time is spent in its last step."""
        if first:
            self._at_once.append(AttemptStarted(at=self.now, attempt=attempt))
        job = self._state.jobs[attempt.job]
        if kind is not job.phase.steps[-1]:
            return self.now
        takes = self._durations(job.job, job.phase)
        self.work += takes
        return self.now + takes

    def _close(self, command: CloseWorkspace) -> None:
        self._at_once.append(WorkspaceClosed(at=self.now, job=command.job))

    def _wake(self, command: WakeAt) -> None:
        self._due(command.at, TimerFired(at=command.at))

    def _nothing(self, command: Command) -> None:
        """Has no answer, and what is to be stopped ends by itself."""

    # ------------------------------------------------------------ the merge queue

    def _read_target(self, command: ReadTarget) -> None:
        self._at_once.append(TargetRead(at=self.now, repo=command.repo, tip=self._commit()))

    def _make_merge(self, command: MakeMerge) -> None:
        self._at_once.append(MergeMade(at=self.now, attempt=command.attempt, onto=command.onto, commit=self._commit()))

    def _gate_merge(self, command: GateMerge) -> None:
        ends = self.now + self._gates(command.attempt.job.repo)
        self._due(ends, MergeGated(at=ends, attempt=command.attempt, commit=command.commit))

    def _gate_target(self, command: GateTarget) -> None:
        ends = self.now + self._gates(command.attempt.job.repo)
        self._due(ends, TargetGated(at=ends, attempt=command.attempt, commit=command.commit))

    def _land(self, command: Land) -> None:
        commit = command.commit
        self._at_once.append(LandingEnded(at=self.now, attempt=command.attempt, commit=commit, landed=True, tip=commit))

    # ------------------------------------------------------------ pull requests

    def _publish(self, command: Publish) -> None:
        made = PullRequestRef(next(self._tickets) + 1)
        self._at_once.append(PublishEnded(at=self.now, attempt=command.attempt, pull_request=made, created=True))

    def _hand_off(self, command: HandOff) -> None:
        made = PullRequestRef(next(self._tickets) + 1)
        number = command.number
        self._at_once.append(
            HandoffEnded(at=self.now, repo=command.repo, number=number, pull_request=made, created=True)
        )

    def _commit(self) -> str:
        return f"commit-{next(self._tickets)}"
