"""A few words for tests of the scheduler, so that each is a handful of lines."""

from __future__ import annotations

from typing import Any

import msgspec

from weft.model.commands import (
    CloseWorkspace,
    Command,
    PrepareWorkspace,
    RunGates,
    RunSession,
    WakeAt,
    WriteNote,
)
from weft.model.events import (
    GatesEnded,
    Input,
    JobEnded,
    Note,
    PhaseEnded,
    RunStarted,
    SessionEnded,
    TimerFired,
    WorkspaceClosed,
    WorkspaceReady,
)
from weft.model.ids import JobKey, RunId
from weft.model.job import Job, JobStatus
from weft.model.outcome import Failure, GateResult, SessionOutcome, Verdict
from weft.model.phase import FailureClass, Phase, Pipeline, StepKind
from weft.model.plan import AgentKind, AgentSpec, Lane, Mode, Plan
from weft.scheduler.invariants import check_invariants
from weft.scheduler.state import State
from weft.scheduler.step import step

RUN = RunId("r-1")
SESSION = (StepKind.SESSION,)
WORK = Pipeline("default", (Phase("work", SESSION, agent="mine"),))
GOOD = SessionOutcome(verdict=Verdict(approved=True))
REJECTED = SessionOutcome(verdict=Verdict(False, ("no test",)))
RED = (GateResult("test", "make test", False, 2, 1.0, "1 failed"),)


def failed(kind: FailureClass = FailureClass.WORK, resets_at: float | None = None) -> SessionOutcome:
    return SessionOutcome(failure=Failure(kind, "it said no", resets_at))


def key(name: str) -> JobKey:
    """`1` is shop#1; `api#1` is in repo api."""
    repo, _, ident = name.rpartition("#")
    return JobKey(repo or "shop", ident)


def job(name: str, *needs: str, **more: Any) -> Job:
    made = Job(key=key(name), title=name, lane=key(name).repo, branch=f"weft/{key(name).id}")
    return msgspec.structs.replace(made, depends_on=tuple(key(need) for need in needs), **more)


def plan(*jobs: Job, cap: int = 9, width: int = 9, sessions: int | None = None, **more: Any) -> Plan:
    made = Plan(
        mode=Mode.PARALLEL,
        jobs=jobs,
        cap=cap,
        lanes=tuple(Lane(name, width) for name in ("shop", "api", "web")),
        pipelines=(WORK,),
        agents=(AgentSpec("mine", AgentKind.COMMAND, max_sessions=sessions),),
    )
    return msgspec.structs.replace(made, **more)


def pipeline(*phases: Phase, quality_loop: int = 3) -> tuple[Pipeline, ...]:
    return (Pipeline("default", phases, quality_loop),)


class Drive:
    """A run in the hand: steps on what the test says and remembers what came of it."""

    def __init__(self, of: Plan) -> None:
        self.state = State(RUN)
        self.now = 100.0
        self.commands: list[Command] = []
        self.do(RunStarted(at=self.now, plan=of))

    def do(self, event: Input) -> list[Command]:
        commands = step(self.state, event)
        check_invariants(self.state)
        self.commands += commands
        return commands

    def ready(self, *names: str) -> None:
        for name in names:
            self.do(WorkspaceReady(at=self.now, job=key(name), path="/w", head="c0"))

    def session(self, name: str, outcome: SessionOutcome = GOOD) -> None:
        attempt = self.state.jobs[key(name)].attempt
        assert attempt is not None
        self.do(SessionEnded(at=self.now, attempt=attempt, outcome=outcome))

    def gates(self, name: str, *results: GateResult) -> None:
        attempt = self.state.jobs[key(name)].attempt
        assert attempt is not None
        self.do(GatesEnded(at=self.now, attempt=attempt, results=results))

    def closed(self, name: str, problem: str | None = None) -> None:
        self.do(WorkspaceClosed(at=self.now, job=key(name), problem=problem))

    def run(self, name: str, outcome: SessionOutcome = GOOD) -> None:
        """A job of one phase, from its slot to its end."""
        self.ready(name)
        self.session(name, outcome)
        self.closed(name)

    def tick(self, seconds: float) -> None:
        self.now += seconds
        self.do(TimerFired(at=self.now))

    @property
    def notes(self) -> list[Note]:
        return [command.note for command in self.commands if isinstance(command, WriteNote)]

    @property
    def prepared(self) -> list[str]:
        """Jobs in the order in which they started."""
        return [_short(command.job) for command in self.commands if isinstance(command, PrepareWorkspace)]

    @property
    def sessions(self) -> list[RunSession]:
        return [command for command in self.commands if isinstance(command, RunSession)]

    @property
    def gate_runs(self) -> list[RunGates]:
        return [command for command in self.commands if isinstance(command, RunGates)]

    @property
    def closings(self) -> list[CloseWorkspace]:
        return [command for command in self.commands if isinstance(command, CloseWorkspace)]

    @property
    def wakes(self) -> list[float]:
        return [command.at for command in self.commands if isinstance(command, WakeAt)]

    @property
    def phases(self) -> list[str]:
        ended = [note for note in self.notes if isinstance(note, PhaseEnded)]
        return [f"{note.attempt.phase} {note.status.value}" for note in ended]

    @property
    def ends(self) -> dict[str, JobStatus]:
        return {_short(note.job): note.status for note in self.notes if isinstance(note, JobEnded)}

    def reason(self, name: str) -> str | None:
        return next(
            note.reason for note in reversed(self.notes) if isinstance(note, JobEnded) and note.job == key(name)
        )


def _short(of: JobKey) -> str:
    return of.id if of.repo == "shop" else str(of)
