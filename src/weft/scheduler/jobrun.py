"""What the scheduler knows of one job while it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from weft.errors import DefectError
from weft.model.budget import Shortage
from weft.model.earlier import Earlier
from weft.model.ids import AttemptId, JobKey
from weft.model.job import Job, JobStatus, PassedBefore, PullRequestRef
from weft.model.phase import Phase, Pipeline, StepKind
from weft.scheduler.states import ALLOWED, JobState

if TYPE_CHECKING:
    from weft.scheduler.lanes import LaneRun
    from weft.scheduler.merge_queue import MergeItem

LOSSES = 3
"""How often a job's attempts may be lost while Weft itself lives: what is killed ever again is not tried for ever."""
NO_OUTPUTS: Mapping[str, str] = {}
NO_SESSIONS: Mapping[str, Earlier] = {}


class Ending(msgspec.Struct, frozen=True, gc=False):
    """How a job is to end, decided before its workspace is put away."""

    status: JobStatus
    reason: str | None = None
    detail: str | None = None
    short_of: Shortage | None = None


PASSED = Ending(JobStatus.PASSED)


class JobRun:
    """Mutable, and owned by one `State`; nothing outside the scheduler changes it."""

    __slots__ = (
        "agent",
        "answers",
        "attempt",
        "awaits_lock",
        "base",
        "began",
        "blocked_by",
        "builds",
        "checkpoints",
        "continues",
        "dependents",
        "due",
        "ending",
        "findings",
        "has_slot",
        "has_workspace",
        "head",
        "interrupted",
        "item",
        "job",
        "key",
        "landed",
        "lane",
        "loops",
        "losses",
        "merging",
        "numbers",
        "outputs",
        "passed",
        "phase_index",
        "pipeline",
        "pull_request",
        "rank",
        "rechecking",
        "repairs",
        "resume",
        "retries",
        "sessions",
        "state",
        "step_index",
        "stop_sent",
        "unmet",
    )

    def __init__(self, job: Job, lane: LaneRun, pipeline: Pipeline) -> None:
        self.job = job
        self.key = job.key
        self.lane = lane
        self.pipeline = pipeline
        self.rank = 0
        """Its place in the order in which jobs would go; smaller goes first."""
        self.state = JobState.WAITING
        self.unmet = 0
        self.dependents: Sequence[JobRun] = ()
        self.blocked_by: JobKey | None = None
        self.numbers: tuple[int, ...] = (0,) * len(pipeline.phases)
        """Of the last attempt at each phase."""
        self.builds = 0
        """Of its branch merged with others, in the merge queue; counts on for ever, since they name attempts."""
        self.item: MergeItem | None = None
        """Its place in the merge queue."""
        self.passed: PassedBefore | None = job.passed
        """Once no phase is left, and until it has its pull request: what that is to be made of."""
        self.pull_request: PullRequestRef | None = job.pull_request
        self.answers = job.answers
        """What people said when it was stuck: every session from then on is told."""
        self.ending: Ending | None = None
        self.awaits_lock = False
        self.has_slot = False
        self.forget()

    def forget(self) -> None:
        """Back to before its first phase; attempt numbers go on, so that ids stay unique."""
        self.phase_index = 0
        self.step_index = 0
        self.attempt: AttemptId | None = None
        self.agent = ""
        """Who does its session: its phase's agent, or one in its place."""
        self.began = 0.0
        """When its session did."""
        self.retries = 0
        self.loops = 0
        self.losses = 0
        self.findings: tuple[str, ...] = ()
        self.outputs = NO_OUTPUTS
        self.repairs = 0
        self.merging: str | None = None
        """What its workspace is to be merged with, for its author to mend."""
        self.landed: str | None = None
        """The commit that brought it into the merge queue's target."""
        self.head: str | None = None
        self.base: str | None = None
        self.due: float | None = None
        self.has_workspace = False
        self.checkpoints = 0
        """Sessions in a row that were ended at their checkpoint."""
        self.continues: str | None = None
        """What the last of them said."""
        self.sessions = NO_SESSIONS
        """The last one that came to a result, by phase, where its agent can go on in it."""
        self.resume: Earlier | None = None
        """The one that its attempt goes on in."""
        self.interrupted = False
        """Whether that one was cut short."""
        self.rechecking = False
        self.stop_sent = False

    @property
    def phase(self) -> Phase:
        return self.pipeline.phases[self.phase_index]

    @property
    def number(self) -> int:
        """Of the last attempt at its phase."""
        return self.numbers[self.phase_index]

    @property
    def step_kind(self) -> StepKind:
        return self.phase.steps[self.step_index]

    @property
    def status(self) -> JobStatus | None:
        """How it ended; None until it has."""
        return self.ending.status if self.ending and self.state is JobState.ENDED else None

    def may_be_lost_again(self) -> bool:
        """Whether what was lost through no fault of anyone is made again; then it counts."""
        if self.losses >= LOSSES:
            return False
        self.losses += 1
        return True

    def may_follow(self, ended: JobRun) -> bool:
        """Whether the end of one it waited for lets it start."""
        return (ended.status is not None and ended.status.done) or ended.key in self.job.after

    def move(self, to: JobState) -> None:
        if to not in ALLOWED[self.state]:
            raise DefectError(f"illegal move of a job: {self.story()} → {to.name}")
        self.state = to

    def story(self) -> str:
        """Where it stands, for error messages."""
        at = f" at {self.attempt.phase} attempt {self.attempt.number}" if self.attempt else ""
        ends = f", to end as {self.ending.status.value}" if self.ending else ""
        return f"{self.key} {self.state.name}{at}{ends} (attempts {list(self.numbers)}, loops {self.loops})"

    def snapshot(self) -> tuple[object, ...]:
        """Everything that counts, for comparing two states."""
        skipped = ("item", "job", "lane", "pipeline", "dependents")
        return tuple(getattr(self, name) for name in self.__slots__ if name not in skipped)
