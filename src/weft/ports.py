"""What the engine and the hands need of the world, as small protocols. Implementations are chosen in `assembly`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from signal import Signals
from types import MappingProxyType
from typing import Protocol

import msgspec

from weft.model.budget import Amounts
from weft.model.commands import Command
from weft.model.earlier import Earlier as Earlier
from weft.model.events import AnyEvent, Input, JobEnded, QuotaSeen
from weft.model.gauges import MachineReading, UsageReading
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import Job, PullRequestRef
from weft.model.limits import RateLimit
from weft.model.outcome import SessionOutcome
from weft.model.phase import Phase
from weft.model.plan import AgentSpec, Repo
from weft.model.usage import Usage


class Clock(Protocol):
    """Wall-clock time, and waiting for it."""

    def now(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


# ---------------------------------------------------------------- journal


class Entry(msgspec.Struct, frozen=True):
    """An event as it stands in the journal."""

    seq: int
    run: RunId
    event: AnyEvent


class RunRecord(msgspec.Struct, frozen=True):
    """A line of the list of runs; whether its process lives is asked of the kernel, not of this."""

    run: RunId
    started_at: float
    ended_at: float | None
    repos: tuple[str, ...]
    """Absolute paths."""
    command: str
    mode: str


class JobEnd(msgspec.Struct, frozen=True):
    """How a job ended when it was last worked on."""

    run: RunId
    event: JobEnded
    phases: tuple[str, ...]
    """Those that passed in that run."""


class RequestKind(Enum):
    CAP = "cap"
    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    RETRY = "retry"
    ANSWER = "answer"
    QUEUE_HOLD = "queue_hold"
    QUEUE_RELEASE = "queue_release"
    QUEUE_REMOVE = "queue_remove"


class ControlRequest(msgspec.Struct, frozen=True):
    """Something another process asks of a run under way."""

    kind: RequestKind
    cap: int | None = None
    job: JobKey | None = None
    repo: str | None = None
    """Whose merge queue; None: every one of the run."""
    text: str | None = None
    """What a person answers."""


class Journal(Protocol):
    """The durable list of all that happened. `append` returns once it is on disk."""

    async def append(self, run: RunId, events: Sequence[AnyEvent]) -> int:
        """Write in order, as one group; answer the last one's sequence number."""
        ...

    def read(self, run: RunId, after: int = 0) -> Iterator[Entry]: ...

    def runs(self) -> list[RunRecord]:
        """All, oldest first."""
        ...

    def ask(self, run: RunId, request: ControlRequest) -> None:
        """Leave a request for the process that has the run."""
        ...

    async def take_requests(self, run: RunId) -> list[ControlRequest]:
        """Requests not seen before, in order; each is given out once."""
        ...

    def quota_news(self, since: float) -> list[QuotaSeen]:
        """What any run of the user was told about used-up quotas from that time on, oldest first. Quick."""
        ...


# ---------------------------------------------------------------- hands

Emit = Callable[[Input], Awaitable[None]]
"""Hand an event to the engine; returns when it is on disk."""


class Hands(Protocol):
    """Carries out one command and answers with events through `emit`. Must not raise for failures of the work."""

    async def perform(self, command: Command, emit: Emit) -> None: ...


# ---------------------------------------------------------------- gauges


class Meter(Protocol):
    """Tells how much of an allowance is used. Must not raise: what cannot be read is unknown, with the reason."""

    async def read(self) -> UsageReading: ...


class Gauge(Protocol):
    """Tells how the machine stands. Must not raise."""

    async def read(self) -> MachineReading: ...


class Watched(msgspec.Struct, frozen=True):
    """What is watched while a run is under way, and how often."""

    meter: Meter | None = None
    meter_every: float = 60.0
    machine: Gauge | None = None
    machine_every: float = 2.0


# ---------------------------------------------------------------- budgets


class SetAside(msgspec.Struct, frozen=True):
    """What came of setting something aside for a session."""

    refused: str | None = None
    """Which limit it does not fit; None: it does."""
    may_come_free: bool = False
    """Whether sessions that are under way elsewhere may give enough of it back."""


class Purse(Protocol):
    """Limits that all of the user's runs share. Each call waits for the disk: not for the loop's own thread."""

    def take(self, attempt: AttemptId, agent: str, wanted: Amounts, at: float) -> SetAside:
        """Until the event that ends the session is in the journal. Safe to repeat."""
        ...

    def elsewhere(self, at: float) -> tuple[tuple[str, float], ...]:
        """What others than this run have used by now, by the limit's key."""
        ...


# ---------------------------------------------------------------- locks


class LockAnswer(msgspec.Struct, frozen=True):
    """What came of asking for a job's lock; `holder` is None where it is ours."""

    holder: str | None = None
    message: str = ""
    """The sentence that tells the user who has it."""
    said: str | None = None
    """What became of a holder that it was taken from."""


class JobLocks(Protocol):
    """One worker per job. Quick: a few system calls each."""

    def take(self, job: JobKey) -> LockAnswer:
        """Safe to repeat: what is held already is ours."""
        ...

    def lost(self, job: JobKey) -> str | None:
        """Why we may no longer write to the repo for this job; None while we may. To be asked before every write."""
        ...

    def release(self, job: JobKey) -> None: ...

    def former(self, job: JobKey) -> RunId | None:
        """The run that it was taken from by force: its agents may still be at work in the job's workspace."""
        ...


class NoLocks:
    """For plans that need none."""

    def take(self, job: JobKey) -> LockAnswer:
        return LockAnswer()

    def lost(self, job: JobKey) -> str | None:
        return None

    def release(self, job: JobKey) -> None:
        """Nothing is held."""

    def former(self, job: JobKey) -> RunId | None:
        return None


# ---------------------------------------------------------------- workspaces


class WorkspaceAsk(msgspec.Struct, frozen=True):
    """What is wanted of a workspace."""

    run: RunId
    repo: Repo
    job: JobKey
    branch: str
    base: str
    starts_from: tuple[str, ...] = ()
    onto_base: bool = True
    head: str | None = None
    """Go on from this commit of the job's branch rather than from the base."""
    continue_branch: bool = False
    """Go on from the branch's tip, where it exists."""
    merge: str | None = None
    """A commit to merge into it, conflicts and all, uncommitted."""


class Committed(msgspec.Struct, frozen=True):
    """The branch after Weft committed what was left in the workspace."""

    head: str
    changed: bool
    """Whether the tip moved since the attempt began."""
    empty: bool
    """Whether its tree equals the base's."""
    unresolved: tuple[str, ...] = ()
    """Files of a merge that still hold conflict markers: then nothing was committed."""
    untouched: tuple[str, ...] = ()
    """Conflicts without markers that nobody dealt with: then nothing was committed either."""


class Closed(msgspec.Struct, frozen=True):
    kept: Path | None
    saved: tuple[str, ...]
    head: str | None


class Workspace(Protocol):
    """A worktree that exists. Only a successful `Workspaces.prepare` makes one; a session cannot start without."""

    @property
    def path(self) -> Path: ...

    @property
    def branch(self) -> str: ...

    @property
    def base(self) -> str:
        """The commit the job's work is measured against."""
        ...

    @property
    def head(self) -> str:
        """The commit it stood at when it was prepared."""
        ...

    @property
    def saved(self) -> tuple[str, ...]:
        """Refs that hold what had to be moved out of the way."""
        ...

    async def commit(self, message: str, since: str) -> Committed:
        """Commit all that is uncommitted; `since` is the tip before the attempt."""
        ...

    async def restore(self, head: str) -> tuple[str, ...]:
        """Back to this commit; what is beyond it, committed or not, is saved first. Answers the refs that hold it."""
        ...

    async def tidy(self) -> None:
        """Bring tracked files back to the tip and take away what gates left; nothing of value is there by then."""
        ...

    async def tip(self) -> str: ...

    async def changes(self) -> str:
        """What the branch changed against its base, as a diff stat, for prompts."""
        ...

    async def close(self, *, remove_if_clean: bool) -> Closed:
        """Save what is uncommitted to a ref, then remove the worktree or leave it clean."""
        ...


class Workspaces(Protocol):
    async def prepare(self, ask: WorkspaceAsk) -> Workspace:
        """Make it, or bring it back; raises WorkspaceError with the reason. Safe to repeat after a crash."""
        ...

    async def reopen(self, ask: WorkspaceAsk) -> Workspace | None:
        """Take an existing one up as a dead process left it, resetting nothing; None if there is none."""
        ...


# ---------------------------------------------------------------- merging


class TargetTip(msgspec.Struct, frozen=True):
    """Where the branch that a repo's merge queue lands on stands."""

    commit: str
    made: bool = False
    """Whether it was made just now."""


class Merged(msgspec.Struct, frozen=True):
    """What came of merging two commits: a commit, or the paths in which they conflict."""

    commit: str | None = None
    conflicts: tuple[str, ...] = ()


class Landing(msgspec.Struct, frozen=True):
    """What came of moving the target."""

    landed: bool
    tip: str
    """Where the target stands now."""
    problem: str | None = None
    """Why a checkout of it did not follow."""


class MergeTree(Protocol):
    """A folder with exactly one commit in it, for gates. Nothing in it is ever of value."""

    @property
    def path(self) -> Path: ...

    async def reset(self) -> None:
        """Bring it back to the commit, whatever gates did."""
        ...

    async def remove(self) -> None: ...


class Merges(Protocol):
    """What the merge queue does with git. All raise WorkspaceError with the reason, and are safe to repeat."""

    async def read_target(self, repo: Repo, run: RunId) -> TargetTip:
        """Made from the base where it is missing; refused where someone has it checked out."""
        ...

    async def merge(self, repo: Repo, attempt: AttemptId, source: str, onto: str, message: str) -> Merged:
        """Touches no worktree and no branch. `onto` itself where it has `source` already."""
        ...

    async def check_out(self, repo: Repo, attempt: AttemptId, commit: str) -> MergeTree:
        """A folder of its own, set up as a job's is. When this is cancelled nothing of it is left."""
        ...

    async def land(self, repo: Repo, attempt: AttemptId, commit: str, expected: str) -> Landing:
        """Move the target from `expected` to `commit`, if it is still there."""
        ...


# ---------------------------------------------------------------- pull requests

Say = Callable[[str], None]
"""Is told why something waits."""


class Published(msgspec.Struct, frozen=True):
    """What came of publishing."""

    pull_request: PullRequestRef | None
    """None for a hand-off that the base has all of already."""
    created: bool = False


class PullRequests(Protocol):
    """Hands work over as pull requests. All raise WeftError with the reason, and are safe to repeat."""

    async def publish(self, attempt: AttemptId, commit: str, base: str, say: Say) -> Published:
        """Push the job's branch at this commit; then its one pull request, to `base`, is there and up to date."""
        ...

    async def hand_off(self, repo: str, say: Say) -> Published:
        """Push the repo's target; then its one pull request is there and up to date."""
        ...

    def calls_since(self) -> int:
        """How many requests were made since this was last asked."""
        ...


# ---------------------------------------------------------------- agents


class SessionRequest(msgspec.Struct, frozen=True):
    """All an agent adapter needs to know to make a command line."""

    attempt: AttemptId
    job: Job
    phase: Phase
    agent: AgentSpec
    prompt: str
    workdir: Path
    prompt_file: Path
    issue_file: Path
    environment: Mapping[str, str]
    """The clean environment, with Weft's own variables and what the agent's settings name."""
    folder: Path | None = None
    """A folder of this attempt alone, for files that the agent's program is given; made when there are any."""
    resume: Earlier | None = None
    most_usd: float | None = None
    """What it may cost, where the user said so and its program can be told."""


class Invocation(msgspec.Struct, frozen=True):
    """A command line ready to run. `stdin` is a file, or nothing (/dev/null)."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    stdin: Path | None = None
    files: Mapping[Path, str] = MappingProxyType({})
    """What must be on disk before it starts."""
    gentle: Signals = Signals.SIGTERM
    """What asks the program, and it alone, to come to an end."""


class Reader(Protocol):
    """Reads one session's transcript, line by line, and says what came of it."""

    @property
    def wants_lines(self) -> bool:
        """Whether it learns anything from lines; if not, it is given none."""
        ...

    def feed(self, line: bytes) -> None:
        """One line without its newline. Must not raise, whatever it holds."""
        ...

    @property
    def used(self) -> Usage:
        """What the session has cost so far, as far as its lines told."""
        ...

    @property
    def refusal(self) -> RateLimit | None:
        """What its provider last refused it for, so far."""
        ...

    def outcome(self, exit_status: int, tail: str) -> SessionOutcome:
        """`exit_status` as of the process (negative: a signal); `tail` is the end of its transcript. Its text is the
        whole answer.
        """
        ...


class Agent(Protocol):
    """One agent CLI. A new one is one file and a line in the registry."""

    def invocation(self, request: SessionRequest) -> Invocation: ...

    def reader(self, request: SessionRequest) -> Reader: ...

    def resumes(self, spec: AgentSpec) -> bool:
        """Whether it can go on in an earlier session."""
        ...


# ---------------------------------------------------------------- issues


class Issue(msgspec.Struct, frozen=True):
    """An issue as its source has it."""

    id: str
    title: str
    body: str
    origin: str
    depends_on: tuple[str, ...] = ()
    """As written: `100`, `other-repo#7`."""
    labels: tuple[str, ...] = ()
    milestone: str | None = None
    touches: tuple[str, ...] = ()
    priority: int = 0
    closed: bool = False


class IssueSource(Protocol):
    def find(self, ident: str) -> Issue | None: ...

    def all(self) -> list[Issue]: ...
