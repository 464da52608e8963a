"""How the tasks of a task file ended (TASK-7b): a fold of the run's events."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

import msgspec

from weft.board.board import Board
from weft.board.views import JobView
from weft.model.events import AnyEvent, AttemptStarted, RunStarted, SessionEnded, WorkspaceReady
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import JobStatus, TaskFacts
from weft.model.outcome import SessionOutcome
from weft.model.phase import FailureClass
from weft.model.usage import Usage


class TaskStatus(Enum):
    COMPLETED = "completed"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    """It was stopped, or never started since the run was."""
    SKIPPED = "skipped"
    """A task it depends on did not succeed."""
    NOT_RUN = "not_run"
    """A step of a chain that had ended before it."""


_STATUSES = {
    JobStatus.PASSED: TaskStatus.COMPLETED,
    JobStatus.SKIPPED: TaskStatus.COMPLETED,
    JobStatus.PARKED: TaskStatus.SKIPPED,
    JobStatus.CANCELLED: TaskStatus.CANCELLED,
    JobStatus.NOT_RUN: TaskStatus.CANCELLED,
}
_EXIT_CODES = {
    TaskStatus.COMPLETED: 0,
    TaskStatus.FAILED: 1,
    TaskStatus.TIMED_OUT: 124,
    TaskStatus.CANCELLED: 130,
    TaskStatus.SKIPPED: 130,
    TaskStatus.NOT_RUN: 130,
}
_SIGNALLED = 128


class TaskResult(msgspec.Struct, frozen=True):
    """One task's end, but for what it said."""

    key: JobKey
    facts: TaskFacts
    title: str
    backend: str
    model: str | None
    status: TaskStatus
    exit_code: int
    error: str | None
    duration: float
    started_at: float | None
    ended_at: float | None
    usage: Usage
    session_id: str | None
    attempt: AttemptId | None
    """The one whose output is the task's."""
    branch: str | None = None
    base: str | None = None
    commit: str | None = None

    @property
    def began(self) -> bool:
        return self.started_at is not None


class Counts(msgspec.Struct, frozen=True):
    """`completed + failed + cancelled` is the total, always (TASK-5)."""

    total: int
    completed: int
    failed: int
    cancelled: int


def counts_of(results: Iterable[TaskResult], total: int) -> Counts:
    statuses = [result.status for result in results]
    completed = statuses.count(TaskStatus.COMPLETED)
    failed = statuses.count(TaskStatus.FAILED) + statuses.count(TaskStatus.TIMED_OUT)
    return Counts(total, completed, failed, len(statuses) - completed - failed)


class TaskBoard:
    """The board of a run of tasks, with what only they tell of. `stepwise`: in a chain what never ran is `not_run`."""

    def __init__(self, run: RunId, *, stepwise: bool = False) -> None:
        self.board = Board(run)
        self.stepwise = stepwise
        self._backends: dict[str, str] = {}
        self._outcomes: dict[JobKey, SessionOutcome] = {}
        self._started: dict[JobKey, AttemptStarted] = {}
        self._bases: dict[JobKey, str] = {}

    def apply(self, event: AnyEvent) -> None:
        self.board.apply(event)
        match event:
            case RunStarted(plan=plan):
                self._backends = {line.name: line.phases[0].agent for line in plan.pipelines}
            case AttemptStarted():
                self._started[event.attempt.job] = event
                self._outcomes.pop(event.attempt.job, None)
            case SessionEnded(outcome=outcome):
                self._outcomes[event.attempt.job] = msgspec.structs.replace(outcome, text="")
            case WorkspaceReady(base=str(base)) if base:
                self._bases[event.job] = base

    def results(self) -> list[TaskResult]:
        """Of those that have ended, in the file's order."""
        return [self.result(job) for job in self.board.view.jobs.values() if job.status is not None]

    def result(self, job: JobView) -> TaskResult:
        status = self._status(job)
        outcome, started = self._outcomes.get(job.key), self._started.get(job.key)
        return TaskResult(
            key=job.key,
            facts=job.job.task or TaskFacts(0),
            title=job.job.title,
            backend=self._backends[job.job.pipeline],
            model=started.model if started else None,
            status=status,
            exit_code=_exit_code(status, outcome),
            error=None if status is TaskStatus.COMPLETED else _error(job),
            duration=job.duration or 0.0,
            started_at=job.started_at,
            ended_at=job.ended_at if job.started_at is not None else None,
            usage=job.usage,
            session_id=outcome.session_id if outcome else None,
            attempt=started.attempt if started else job.job.earlier,
            branch=job.branch or None,
            base=self._bases.get(job.key),
            commit=job.commit or None,
        )

    def _status(self, job: JobView) -> TaskStatus:
        if job.status is JobStatus.NOT_RUN and self.stepwise:
            return TaskStatus.NOT_RUN
        failure = job.status is JobStatus.FAILED and job.key in self._outcomes and self._outcomes[job.key].failure
        if failure and failure.kind is FailureClass.TIMEOUT:
            return TaskStatus.TIMED_OUT
        return _STATUSES.get(job.status, TaskStatus.FAILED) if job.status else TaskStatus.CANCELLED


def _exit_code(status: TaskStatus, outcome: SessionOutcome | None) -> int:
    """0 exactly for success; else the process's own, where it ended by itself and not with 0."""
    own = outcome.exit_status if outcome and outcome.exit_status else 0
    if status is TaskStatus.COMPLETED or not own:
        return _EXIT_CODES[status]
    if own > 0:
        return own
    return _SIGNALLED - own if status is TaskStatus.FAILED else _EXIT_CODES[status]


def _error(job: JobView) -> str:
    if job.status is JobStatus.NOT_RUN and job.short_of is not None:
        return f"not run: {job.explained}"
    return job.detail or job.reason or "failed"
