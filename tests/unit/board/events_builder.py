"""Made-up runs: events as the scheduler and the hands write them, with a clock that only moves when told."""

from __future__ import annotations

from weft.model.events import (
    AnyEvent,
    AttemptStarted,
    GatesEnded,
    JobAdmitted,
    JobEnded,
    PhaseEnded,
    RunEnded,
    RunResumed,
    RunStarted,
    SessionEnded,
    WorkspaceClosed,
    WorkspaceReady,
)
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import Job, JobStatus
from weft.model.outcome import Failure, GateResult, PhaseStatus, SessionOutcome
from weft.model.phase import FailureClass, Phase, Pipeline, StepKind
from weft.model.plan import Mode, Plan
from weft.model.usage import Usage

RUN = RunId("r-1")
START = 1_770_000_000.0
GOOD = JobStatus.PASSED

PIPELINE = Pipeline(
    "default",
    (
        Phase("spec", (StepKind.SESSION,), agent="claude"),
        Phase("exec", (StepKind.SESSION,), agent="claude", writes=True),
        Phase("qa", (StepKind.GATES, StepKind.SESSION), agent="codex", verdict=True, mends="exec"),
    ),
)


def key(name: str) -> JobKey:
    repo, _, ident = name.rpartition("#")
    return JobKey(repo or "shop", ident)


def job(name: str, *needs: str) -> Job:
    ident = key(name)
    title = f"Title {ident.id}"
    branch = f"weft/{ident.id}-title"
    return Job(ident, title, lane=ident.repo, branch=branch, depends_on=tuple(key(need) for need in needs))


def plan(*jobs: Job, mode: Mode = Mode.PARALLEL, cap: int = 3, pipeline: Pipeline = PIPELINE) -> Plan:
    return Plan(mode, jobs, cap, pipelines=(pipeline,), command="weft run")


class Tale:
    """Tells a run event by event; each method adds what would be in the journal."""

    def __init__(self, *names: str, mode: Mode = Mode.PARALLEL, cap: int = 3) -> None:
        self.now = START
        self.numbers: dict[tuple[JobKey, str], int] = {}
        self.events: list[AnyEvent] = []
        self.add(RunStarted(at=self.now, plan=plan(*map(job, names), mode=mode, cap=cap)))

    def add(self, *events: AnyEvent) -> Tale:
        self.events.extend(events)
        return self

    def wait(self, seconds: float) -> Tale:
        self.now += seconds
        return self

    def admit(self, name: str) -> Tale:
        ident = key(name)
        ready = WorkspaceReady(at=self.now, job=ident, path=f"/ws/{ident.id}", branch=f"weft/{ident.id}-title")
        return self.add(JobAdmitted(at=self.now, job=ident), ready)

    def attempt(self, name: str, phase: str) -> AttemptId:
        ident = key(name)
        return AttemptId(RUN, ident, phase, self.numbers.get((ident, phase), 0))

    def begin(self, name: str, phase: str, agent: str | None = "claude", model: str | None = "opus") -> Tale:
        ident = key(name)
        self.numbers[ident, phase] = self.numbers.get((ident, phase), 0) + 1
        return self.add(AttemptStarted(at=self.now, attempt=self.attempt(name, phase), agent=agent, model=model))

    def gates(self, name: str, phase: str = "qa", *, passed: bool = True) -> Tale:
        result = GateResult("test", "pytest", passed, 0 if passed else 1, 12.0)
        return self.add(GatesEnded(at=self.now, attempt=self.attempt(name, phase), results=(result,)))

    def session(
        self,
        name: str,
        phase: str,
        cost: float | None = 0.1,
        failure: FailureClass | None = None,
        commit: str | None = None,
    ) -> Tale:
        outcome = SessionOutcome(
            failure=None if failure is None else Failure(failure, "it broke"),
            usage=Usage(100, 10, 5, cost, 1),
            commit=commit,
        )
        return self.add(SessionEnded(at=self.now, attempt=self.attempt(name, phase), outcome=outcome))

    def finish(
        self,
        name: str,
        phase: str,
        status: PhaseStatus = PhaseStatus.PASSED,
        reason: str | None = None,
        retry_at: float | None = None,
    ) -> Tale:
        ident = self.attempt(name, phase)
        return self.add(PhaseEnded(at=self.now, attempt=ident, status=status, reason=reason, retry_at=retry_at))

    def phase(self, name: str, phase: str, seconds: float = 60.0, cost: float | None = 0.1) -> Tale:
        """A whole phase that passes."""
        self.begin(name, phase).wait(seconds)
        return self.session(name, phase, cost, commit=f"c-{phase}").finish(name, phase)

    def close(self, name: str, kept: str | None = None, saved: tuple[str, ...] = ()) -> Tale:
        return self.add(WorkspaceClosed(at=self.now, job=key(name), kept=kept, saved=saved))

    def end(self, name: str, status: JobStatus = GOOD, reason: str | None = None, detail: str | None = None) -> Tale:
        ident = key(name)
        branch = f"weft/{ident.id}-title"
        return self.add(JobEnded(at=self.now, job=ident, status=status, reason=reason, detail=detail, branch=branch))

    def whole(self, name: str, seconds: float = 60.0, cost: float | None = 0.1) -> Tale:
        """A job from its slot to its passing end."""
        self.admit(name)
        for phase in ("spec", "exec", "qa"):
            self.phase(name, phase, seconds, cost)
        return self.close(name).end(name)

    def failing(self, name: str, phase: str = "exec") -> Tale:
        """A job whose phase fails for good."""
        self.admit(name)
        for before in ("spec", "exec", "qa"):
            if before == phase:
                break
            self.phase(name, before)
        self.begin(name, phase).wait(45).session(name, phase, failure=FailureClass.WORK)
        self.finish(name, phase, PhaseStatus.FAILED, "it broke").close(name, f"/ws/{key(name).id}")
        return self.end(name, JobStatus.FAILED, f"Phase {phase} failed", "it broke")

    def resume(self) -> Tale:
        return self.add(RunResumed(at=self.now))

    def over(self, signal: int | None = None) -> list[AnyEvent]:
        self.add(RunEnded(at=self.now, stopped_by=signal))
        return self.events
