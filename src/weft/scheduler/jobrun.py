"""What the scheduler knows of one job while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.errors import DefectError
from weft.model.ids import AttemptId, JobKey
from weft.model.job import Job, JobStatus
from weft.model.phase import Phase, Pipeline, StepKind
from weft.scheduler.states import ALLOWED, JobState

if TYPE_CHECKING:
    from weft.scheduler.lanes import LaneRun

Rank = tuple[int, float, int]
"""Smaller goes first: urgency, minus the longest remaining path, place in the plan."""


class Ending:
    """How a job is to end, decided before its workspace is put away."""

    __slots__ = ("detail", "reason", "status")

    def __init__(self, status: JobStatus, reason: str | None = None, detail: str | None = None) -> None:
        self.status = status
        self.reason = reason
        self.detail = detail

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ending) and (self.status, self.reason, self.detail) == (
            other.status,
            other.reason,
            other.detail,
        )

    __hash__ = None  # type: ignore[assignment]


class JobRun:
    """Mutable, and owned by one `State`; nothing outside the scheduler changes it."""

    __slots__ = (
        "attempt",
        "base",
        "blocked_by",
        "dependents",
        "due",
        "ending",
        "findings",
        "has_slot",
        "has_workspace",
        "head",
        "job",
        "lane",
        "loops",
        "numbers",
        "outputs",
        "phase_index",
        "pipeline",
        "rank",
        "rechecking",
        "retries",
        "state",
        "step_index",
        "stop_sent",
        "unmet",
    )

    def __init__(self, job: Job, lane: LaneRun, pipeline: Pipeline) -> None:
        self.job = job
        self.lane = lane
        self.pipeline = pipeline
        self.rank: Rank = (0, 0.0, 0)
        self.state = JobState.WAITING
        self.unmet = 0
        self.dependents: list[JobRun] = []
        self.blocked_by: JobKey | None = None
        self.numbers: dict[str, int] = {}
        self.ending: Ending | None = None
        self.has_slot = False
        self.forget()

    def forget(self) -> None:
        """Back to before its first phase; attempt numbers go on, so that ids stay unique."""
        self.phase_index = 0
        self.step_index = 0
        self.attempt: AttemptId | None = None
        self.retries = 0
        self.loops = 0
        self.findings: tuple[str, ...] = ()
        self.outputs: dict[str, str] = {}
        self.head: str | None = None
        self.base: str | None = None
        self.due: float | None = None
        self.has_workspace = False
        self.rechecking = False
        self.stop_sent = False

    def __lt__(self, other: JobRun) -> bool:
        """Heaps may hold a job twice (once out of date); then the entries' ranks tie."""
        return self.rank < other.rank

    @property
    def key(self) -> JobKey:
        return self.job.key

    @property
    def phase(self) -> Phase:
        return self.pipeline.phases[self.phase_index]

    @property
    def step_kind(self) -> StepKind:
        return self.phase.steps[self.step_index]

    @property
    def status(self) -> JobStatus | None:
        """How it ended; None until it has."""
        return self.ending.status if self.ending and self.state is JobState.ENDED else None

    def move(self, to: JobState) -> None:
        if to not in ALLOWED[self.state]:
            raise DefectError(f"illegal move of a job: {self.story()} → {to.name}")
        self.state = to

    def story(self) -> str:
        """Where it stands, for error messages."""
        at = f" at {self.attempt.phase} attempt {self.attempt.number}" if self.attempt else ""
        ends = f", to end as {self.ending.status.value}" if self.ending else ""
        return f"{self.key} {self.state.name}{at}{ends} (attempts {self.numbers}, loops {self.loops})"

    def snapshot(self) -> tuple[object, ...]:
        """Everything that counts, for comparing two states."""
        skipped = ("job", "lane", "pipeline", "dependents")
        return (self.key, *(getattr(self, name) for name in self.__slots__ if name not in skipped))
