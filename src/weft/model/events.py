"""Events: what happened. Stored in the journal, so every type has a version and old ones stay readable.

*Inputs* are what the scheduler steps on. *Notes* are what it concluded from them: derived, written for everyone who
shows something, and never stepped on again.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from weft.model.budget import Shortage
from weft.model.gauges import LimitSource, MeterReading, SessionNeed
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import JobStatus, PullRequestRef
from weft.model.outcome import Failure, GateResult, PhaseStatus, SessionOutcome
from weft.model.plan import Plan
from weft.model.usage import Usage


class Event(msgspec.Struct, frozen=True, gc=False, tag_field="type", kw_only=True):
    """Base of all. `at` is seconds since the epoch: the scheduler's only clock."""

    at: float


class UsageRead(Event, frozen=True, tag="usage_read"):
    """The usage meters say something that matters, or cannot be read any more."""

    meters: tuple[MeterReading, ...] = ()
    unknown: str | None = None
    """Why they cannot be read."""


class MachineRead(Event, frozen=True, tag="machine_read"):
    """How the machine stands, where that changes how much may start."""

    free_memory: int | None = None
    """Bytes, like the others; None: not known."""
    free_disk: int | None = None
    load: float | None = None
    """For each core, the average of the last minute."""
    in_use: int = 0
    """Memory of the run's own sessions."""
    needs: tuple[SessionNeed, ...] = ()
    """The most that a session of each agent was seen to use."""


class QuotaSeen(Event, frozen=True, tag="quota_seen"):
    """An account's quota is used up: a session was told so, here or in another Weft process of the user."""

    account: str
    resets_at: float | None = None
    """Seconds since the epoch; None where the provider did not say."""
    why: str = ""


class RunStarted(Event, frozen=True, tag="run_started"):
    """The plan, on disk before anything is done about it."""

    plan: Plan
    readings: tuple[UsageRead | MachineRead | QuotaSeen, ...] = ()
    """What limits the run from its first moment."""


class CutShort(msgspec.Struct, frozen=True):
    """A session that Weft died under, and that its agent can go on with."""

    attempt: AttemptId
    session_id: str


class RunResumed(Event, frozen=True, tag="run_resumed"):
    """A new process goes on with a dead run. `finished`: attempts whose process had ended by itself."""

    finished: tuple[AttemptId, ...] = ()
    cut_short: tuple[CutShort, ...] = ()
    """Sessions to go on in, where their phase says so and their agents can."""
    readings: tuple[UsageRead | MachineRead | QuotaSeen, ...] = ()


class CapSet(Event, frozen=True, tag="cap_set"):
    """`weft cap`: how many jobs may be active from now on."""

    cap: int


class GovernorCapSet(Event, frozen=True, tag="governor_cap_set"):
    """A limit set from outside; None lifts it. The smallest of the user's cap and all limits holds."""

    cap: int | None
    why: str = ""
    source: LimitSource = LimitSource.GOVERNOR


class PauseSet(Event, frozen=True, tag="pause_set"):
    """`weft pause` and `weft resume`: while paused nothing new starts."""

    paused: bool


class CancelRequested(Event, frozen=True, tag="cancel_requested"):
    """`weft cancel`: the job is to end, its work is kept."""

    job: JobKey
    why: str = "cancelled by the user"


class RetryRequested(Event, frozen=True, tag="retry_requested"):
    """`weft retry`: the job and those parked because of it start again."""

    job: JobKey


class AnswerGiven(Event, frozen=True, tag="answer_given"):
    """`weft answer`: a person says what the job needed to know; it goes on where it stopped."""

    job: JobKey
    text: str


class StopRequested(Event, frozen=True, tag="stop_requested"):
    """Ctrl-C, SIGTERM: end everything, lose nothing."""

    signal: int


class QueueHoldSet(Event, frozen=True, tag="queue_hold_set"):
    """`weft queue hold` and `release`: while held nothing new is tested or landed; what lands, lands."""

    repo: str
    held: bool


class QueueRemoveRequested(Event, frozen=True, tag="queue_remove_requested"):
    """`weft queue remove`: the job leaves the queue and is parked; its branch is kept."""

    job: JobKey


class WorkspaceReady(Event, frozen=True, tag="workspace_ready"):
    """The job's worktree is there, set up, on its branch."""

    job: JobKey
    path: str
    branch: str | None = None
    base: str | None = None
    head: str | None = None
    saved: tuple[str, ...] = ()
    """Refs that hold what was found in the way."""


class WorkspaceFailed(Event, frozen=True, tag="workspace_failed"):
    """The job's worktree could not be made; the job fails, others go on."""

    job: JobKey
    reason: str
    saved: tuple[str, ...] = ()
    locked_by: str | None = None
    """Who has the job's lock, where that is the reason."""


class LockTaken(Event, frozen=True, tag="lock_taken"):
    """Nobody else works on the job now."""

    job: JobKey
    said: str | None = None
    """What became of a holder that it was taken from."""


class LockRefused(Event, frozen=True, tag="lock_refused"):
    """Another works on the job."""

    job: JobKey
    holder: str
    """Such as `PID 12345 (weft run 604)`."""
    message: str
    """The whole sentence, with what to do about it."""


class AttemptStarted(Event, frozen=True, tag="attempt_started"):
    """An attempt is about to begin: on disk before its first process exists."""

    attempt: AttemptId
    agent: str | None = None
    model: str | None = None


class GatesEnded(Event, frozen=True, tag="gates_ended"):
    """All gates of an attempt were run."""

    attempt: AttemptId
    results: tuple[GateResult, ...] = ()
    commit: str | None = None
    """The commit whose tree they ran on."""
    failure: Failure | None = None
    """Why they could not be run at all."""


class SessionEnded(Event, frozen=True, tag="session_ended"):
    """An agent's session is over, and what it left is committed or set aside."""

    attempt: AttemptId
    outcome: SessionOutcome
    agent: str | None = None
    """Who did it."""


class UsageSeen(Event, frozen=True, tag="usage_seen"):
    """What a session that is under way has used so far; told where the plan has a budget."""

    attempt: AttemptId
    usage: Usage
    elsewhere: tuple[tuple[str, float], ...] = ()
    """What other runs have used by now of the limits that are shared with them, by the limit's key."""


class WorkspaceClosed(Event, frozen=True, tag="workspace_closed"):
    """What was unsaved is saved; the worktree is removed or kept."""

    job: JobKey
    kept: str | None = None
    """The path, where it was kept."""
    saved: tuple[str, ...] = ()
    commit: str | None = None
    problem: str | None = None


class TargetRead(Event, frozen=True, tag="target_read"):
    """Where the branch that a queue lands on stands."""

    repo: str
    tip: str | None = None
    made: bool = False
    """Whether it was made just now."""
    problem: str | None = None
    """Why it cannot be landed on."""


class MergeMade(Event, frozen=True, tag="merge_made"):
    """A branch was merged onto the tip, or onto those before it in the queue: a commit that no branch has yet."""

    attempt: AttemptId
    onto: str
    commit: str | None = None
    """None where it could not be made."""
    conflicts: tuple[str, ...] = ()
    """Paths that both sides changed."""
    problem: str | None = None
    """What git said, where it is no conflict."""


class MergeGated(Event, frozen=True, tag="merge_gated"):
    """The gates ran on a merged tree."""

    attempt: AttemptId
    commit: str
    results: tuple[GateResult, ...] = ()
    flaky: tuple[str, ...] = ()
    """Gates that failed and then passed on the same tree; in `results` they have passed."""
    failure: Failure | None = None
    """Why they could not be run at all."""


class TargetGated(Event, frozen=True, tag="target_gated"):
    """The gates ran on the target alone."""

    attempt: AttemptId
    commit: str
    results: tuple[GateResult, ...] = ()
    flaky: tuple[str, ...] = ()
    failure: Failure | None = None


class LandingEnded(Event, frozen=True, tag="landing_ended"):
    """The target was moved to a merged commit, or had been moved by another meanwhile."""

    attempt: AttemptId
    commit: str
    landed: bool
    tip: str | None = None
    """Where the target stands now; None where it could not be read."""
    problem: str | None = None
    """Why it cannot be moved, where that is not another's move; where it landed: why a checkout did not follow."""


class PublishEnded(Event, frozen=True, tag="publish_ended"):
    """A job's branch is pushed and has its one pull request, or could not get it."""

    attempt: AttemptId
    pull_request: PullRequestRef | None = None
    created: bool = False
    """Whether it was made just now; else it was there, and is up to date."""
    problem: str | None = None
    """Why there is none."""
    api_calls: int = 0
    """Requests to the tracker since the last such event of the run."""


class HandoffEnded(Event, frozen=True, tag="handoff_ended"):
    """What landed on a repo's target has its one pull request, or could not get it."""

    repo: str
    number: int
    """Which try it was."""
    pull_request: PullRequestRef | None = None
    """None without a problem: the base has it all already."""
    created: bool = False
    problem: str | None = None
    api_calls: int = 0


class TrackerWaits(Event, frozen=True, tag="tracker_waits"):
    """Pull requests have to wait for the tracker: a limit is used up, or it does not answer."""

    repo: str
    why: str


class TimerFired(Event, frozen=True, tag="timer_fired"):
    """Something was due by now."""


class LimitSet(Event, frozen=True, tag="limit_set"):
    """Note: how many jobs may be active by usage or by the machine; None: no limit."""

    source: LimitSource
    cap: int | None
    why: str = ""


class JobAdmitted(Event, frozen=True, tag="job_admitted"):
    """Note: the job took its slot."""

    job: JobKey


class JobWaits(Event, frozen=True, tag="job_waits"):
    """Note: the job gave up its slot before its next attempt began, and goes on by itself."""

    job: JobKey
    until: float
    why: str


class JobQueued(Event, frozen=True, tag="job_queued"):
    """Note: the job passed and stands in the merge queue; its slot is free."""

    job: JobKey
    target: str
    ahead: int
    """How many are before it."""


class JobPublishing(Event, frozen=True, tag="job_publishing"):
    """Note: the job passed and its pull request is being made; its slot is free."""

    job: JobKey
    base: str
    """The branch that it goes to."""


class MergeFailed(Event, frozen=True, tag="merge_failed"):
    """Note: the job's branch does not merge, or is red when merged, through no fault of the target."""

    job: JobKey
    reason: str
    repair: int
    """Which repair follows, from 1; 0: none is left, and the job is parked."""
    findings: tuple[str, ...] = ()


class TargetRed(Event, frozen=True, tag="target_red"):
    """Note: the target fails its own gates: nobody is blamed, the queue holds."""

    repo: str
    target: str
    commit: str
    reason: str


class PhaseEnded(Event, frozen=True, tag="phase_ended"):
    """Note: an attempt at a phase is over."""

    attempt: AttemptId
    status: PhaseStatus
    reason: str | None = None
    retry_at: float | None = None


class JobEnded(Event, frozen=True, tag="job_ended"):
    """Note: the job is over."""

    job: JobKey
    status: JobStatus
    reason: str | None = None
    """In a few words, such as `Phase exec failed`."""
    detail: str | None = None
    """What the agent, the gate or git itself said."""
    branch: str | None = None
    commit: str | None = None
    landed: str | None = None
    """The commit on the merge queue's target that brought the branch in."""
    short_of: Shortage | None = None
    """Where it ended for want of that."""
    blocked_by: JobKey | None = None
    """The job that it depends on and that is not done, where that is why."""
    pull_request: PullRequestRef | None = None
    unpublished: bool = False
    """Every phase had passed and the branch is whole: all that is missing is its pull request."""
    passed_in: RunId | None = None
    """The run that took it through its phases, where that was an earlier one."""


class RunEnded(Event, frozen=True, tag="run_ended"):
    """Note: every job is over."""

    stopped_by: int | None = None
    """The signal that ended it early."""


Input: TypeAlias = (
    RunStarted
    | RunResumed
    | CapSet
    | GovernorCapSet
    | UsageRead
    | MachineRead
    | PauseSet
    | CancelRequested
    | RetryRequested
    | AnswerGiven
    | StopRequested
    | QuotaSeen
    | QueueHoldSet
    | QueueRemoveRequested
    | LockTaken
    | LockRefused
    | WorkspaceReady
    | WorkspaceFailed
    | AttemptStarted
    | GatesEnded
    | SessionEnded
    | UsageSeen
    | WorkspaceClosed
    | TargetRead
    | MergeMade
    | MergeGated
    | TargetGated
    | LandingEnded
    | PublishEnded
    | HandoffEnded
    | TrackerWaits
    | TimerFired
)
Note: TypeAlias = (
    LimitSet
    | JobAdmitted
    | JobWaits
    | JobQueued
    | JobPublishing
    | MergeFailed
    | TargetRed
    | PhaseEnded
    | JobEnded
    | RunEnded
)
AnyEvent: TypeAlias = Input | Note
EVENT_VERSION = 1
