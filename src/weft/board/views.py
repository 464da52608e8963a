"""What front ends show of a run: plain values that only the `Board` changes.

Durations count the time in which a Weft process had the run in hand: the stretch between a crash and going on is left
out. `begun` is a time on that clock (see `RunView.worked`), `started_at` one on the wall's.
"""

from __future__ import annotations

import msgspec

from weft.board.exit_codes import exit_code
from weft.board.queue_view import MERGE, FlakyGate, MergeStand, QueueView
from weft.board.states import JobProgress, PhaseState, RunStatus
from weft.errors import ExitCode
from weft.model.budget import Shortage
from weft.model.gauges import LimitSource, MeterReading
from weft.model.ids import JobKey, RunId
from weft.model.job import Job, JobStatus
from weft.model.outcome import Failure, GateResult, PhaseStatus
from weft.model.plan import Mode
from weft.model.project import Project
from weft.model.usage import NO_USAGE, Usage


class AttemptView(msgspec.Struct):
    number: int
    started_at: float
    begun: float
    agent: str | None = None
    model: str | None = None
    status: PhaseStatus | None = None
    """None while it is under way."""
    reason: str | None = None
    failure: Failure | None = None
    retry_at: float | None = None
    duration: float | None = None
    gates: tuple[GateResult, ...] = ()
    flaky: tuple[str, ...] = ()
    """Gates that failed and then passed on the same tree."""
    usage: Usage = NO_USAGE
    seen: Usage = NO_USAGE
    """What was heard of its session while that is under way."""


class PhaseView(msgspec.Struct):
    name: str
    state: PhaseState = PhaseState.NOT_RUN
    attempts: list[AttemptView] = []
    agent: str | None = None
    """Who does its session, by the plan; an attempt that begins with gates does not say so."""
    model: str | None = None

    @property
    def latest(self) -> AttemptView | None:
        return self.attempts[-1] if self.attempts else None

    @property
    def tries(self) -> int:
        """How many attempts there were; builds that the merge queue took back are nobody's."""
        back = sum(attempt.status is PhaseStatus.CANCELLED for attempt in self.attempts) if self.name == MERGE else 0
        return len(self.attempts) - back

    def duration(self, worked: float) -> float:
        """All attempts together; one under way counts up to `worked`."""
        return sum(
            max(0.0, worked - attempt.begun) if attempt.duration is None else attempt.duration
            for attempt in self.attempts
        )


class JobView(msgspec.Struct):
    job: Job
    phases: list[PhaseView]
    in_flight: bool = False
    held_until: float | None = None
    """When it goes on that gave up its slot before an attempt began."""
    status: JobStatus | None = None
    """How it ended; None until it has."""
    reason: str | None = None
    detail: str | None = None
    """What the agent, the gate or git itself said."""
    short_of: Shortage | None = None
    """Where it ended for want of that."""
    blocked_by: JobKey | None = None
    """The job that it depends on and that is not done, where it ended because of that."""
    current: PhaseView | None = None
    """The phase last begun."""
    failed_phase: str | None = None
    """The phase whose last attempt failed."""
    branch: str | None = None
    commit: str | None = None
    stand: MergeStand | None = None
    """How far it is in the merge queue; None: it is not in it."""
    target: str | None = None
    """The branch that it is to land on, once it was queued for it."""
    queued_at: float | None = None
    landed: str | None = None
    """The commit that brought it into the target."""
    repairs: int = 0
    """How often it went back to its author."""
    publishing: bool = False
    """Its pull request is being made."""
    pull_request: int | None = None
    pull_request_url: str | None = None
    usage: Usage = NO_USAGE
    workspace: str | None = None
    """The path, while it exists: during the job, and after it where it was kept."""
    saved: tuple[str, ...] = ()
    """Refs that hold what was saved from this job's workspace."""
    problem: str | None = None
    """What went wrong with putting its workspace away."""
    answers: tuple[str, ...] = ()
    """What people said in this run when it was stuck."""
    started_at: float | None = None
    ended_at: float | None = None
    begun: float | None = None
    duration: float | None = None

    @property
    def key(self) -> JobKey:
        return self.job.key

    @property
    def merged(self) -> bool:
        """It landed on the merge queue's target."""
        return self.landed is not None

    @property
    def queued(self) -> bool:
        """It stands in the merge queue."""
        return self.stand is not None

    @property
    def explained(self) -> str | None:
        """The reason with the first line of what is behind it."""
        first = next((line.strip() for line in (self.detail or "").splitlines() if line.strip()), "")
        return ": ".join(part for part in (self.reason, first) if part) or None

    @property
    def progress(self) -> JobProgress:
        if self.in_flight:
            return JobProgress.RUNNING
        if self.publishing:
            return JobProgress.PUBLISHING
        return JobProgress.QUEUED if self.queued else JobProgress.WAITING

    @property
    def retry_at(self) -> float | None:
        """When its next attempt is due, while it waits for that."""
        if self.held_until is not None:
            return self.held_until
        latest = self.current.latest if self.current else None
        waits = latest is not None and self.current is not None and self.current.state is PhaseState.RETRYING
        return latest.retry_at if latest and waits else None

    def elapsed(self, worked: float) -> float:
        if self.duration is not None:
            return self.duration
        return 0.0 if self.begun is None else max(0.0, worked - self.begun)


class LimitView(msgspec.Struct, frozen=True):
    """`cap` None: no limit, but perhaps there is something to say."""

    cap: int | None = None
    why: str = ""


class QuotaView(msgspec.Struct, frozen=True):
    """An account whose quota is used up."""

    at: float
    resets_at: float | None
    """None where the provider did not say."""
    why: str = ""


class HandoffView(msgspec.Struct, frozen=True):
    """The pull request of a repo's target: made, not needed, or failed."""

    number: int | None = None
    url: str | None = None
    problem: str | None = None


class RunView(msgspec.Struct):
    run: RunId
    alive: bool = True
    """Whether a process has the run: asked of the kernel by whoever makes the view."""
    mode: Mode = Mode.PARALLEL
    command: str = ""
    repos: dict[str, str] = {}
    """Paths by name."""
    projects: tuple[Project, ...] = ()
    """In the mode `projects`: all that settings name."""
    jobs: dict[JobKey, JobView] = {}
    """In the plan's order."""
    cap_asked: int = 0
    limits: dict[LimitSource, LimitView] = {}
    """Of usage, of the machine: who limits how many jobs may be active, besides the user."""
    meters: tuple[MeterReading, ...] = ()
    """Usage, as it was last written down."""
    quotas: dict[str, QuotaView] = {}
    """What was last heard of used-up quotas, by account."""
    paused: bool = False
    running: dict[JobKey, JobView] = {}
    """Those in flight, in the order they were admitted."""
    queues: dict[str, QueueView] = {}
    """Merge queues, by repo."""
    queued: dict[JobKey, JobView] = {}
    """Those that stand in one, in the order they came."""
    flaky: list[FlakyGate] = []
    publishing: set[JobKey] = set()
    """Those whose pull request is being made."""
    handed_off: dict[str, HandoffView] = {}
    """What became of the pull request of each repo's target."""
    api_calls: int = 0
    """Requests to the tracker, planning included."""
    counts: dict[JobStatus, int] = {}
    """How many jobs ended how."""
    usage: Usage = NO_USAGE
    stop_signal: int | None = None
    """Being stopped by this signal, or ended by it."""
    started_at: float = 0.0
    ended_at: float | None = None
    last_at: float = 0.0
    """The time of the latest event."""
    downtime: float = 0.0
    one_repo: bool = True

    @property
    def governor(self) -> LimitView:
        """The smallest limit; of several the first."""
        limits = [limit for limit in self.limits.values() if limit.cap is not None]
        return min(limits, key=lambda limit: limit.cap or 0, default=LimitView())

    @property
    def cap_governor(self) -> int | None:
        return self.governor.cap

    @property
    def cap(self) -> int:
        """The cap that holds: the smaller of the one asked for and the governor's."""
        return self.cap_asked if self.cap_governor is None else min(self.cap_asked, self.cap_governor)

    @property
    def in_flight(self) -> int:
        return len(self.running)

    @property
    def ended(self) -> int:
        return sum(self.counts.values())

    @property
    def waiting(self) -> int:
        return len(self.jobs) - self.ended - len(self.running) - len(self.queued) - len(self.publishing)

    @property
    def one_at_a_time(self) -> bool:
        return self.mode in (Mode.SINGLE, Mode.SEQUENTIAL, Mode.CHAIN) or self.cap_asked == 1 or len(self.jobs) == 1

    @property
    def exit_code(self) -> ExitCode | None:
        """None until the run has ended."""
        if self.ended_at is None:
            return None
        short = any(job.short_of for job in self.jobs.values())
        statuses = {job.status for job in self.jobs.values() if job.status and not job.short_of}
        code = exit_code(self.mode, statuses, self.stop_signal, short=short)
        broken = any(project.problem for project in self.projects)
        broken = broken or any(handoff.problem for handoff in self.handed_off.values())
        return ExitCode.FAILED if broken and code is ExitCode.OK else code

    @property
    def status(self) -> RunStatus:
        code = self.exit_code
        if code is None:
            return RunStatus.RUNNING if self.alive else RunStatus.INTERRUPTED
        return _STATUS.get(code, RunStatus.FAILED)

    def worked(self, at: float | None = None) -> float:
        """`at` on the clock that stands still while no process has the run; the latest event's time by default.

        Of a run that is over, or whose process is gone, nothing is known after its last event.
        """
        over = self.ended_at is not None or not self.alive
        return (self.last_at if at is None or over else max(at, self.last_at)) - self.downtime

    def duration(self, at: float | None = None) -> float:
        return max(0.0, self.worked(at) - self.started_at)

    def ahead(self, job: JobView) -> int:
        """How many are before it in its merge queue."""
        queue = self.queues.get(job.key.repo)
        return queue.items.index(job.key) if queue is not None and job.key in queue.items else 0

    def label(self, key: JobKey) -> str:
        """`#100` in one-repo runs, else `repo#100`."""
        return f"#{key.id}" if self.one_repo else str(key)

    def progress(self, job: JobView) -> JobProgress:
        return JobProgress.INTERRUPTED if job.in_flight and not self.alive else job.progress

    def shown_status(self, job: JobView) -> str:
        """How the job ended, or where it stands, in one word."""
        return job.status.value if job.status else self.progress(job).value


_STATUS = {
    ExitCode.OK: RunStatus.PASSED,
    ExitCode.LOCKED: RunStatus.LOCKED,
    ExitCode.INTERRUPTED: RunStatus.CANCELLED,
    ExitCode.TERMINATED: RunStatus.CANCELLED,
}
