"""Jobs: what there is to get done."""

from __future__ import annotations

from enum import Enum

import msgspec

from weft.model.gate import Gate
from weft.model.ids import AttemptId, JobKey, RunId


class JobStatus(Enum):
    """How a job ended."""

    PASSED = "passed"
    """Every phase passed; the gates, where there are any, held on the commit its branch ends on."""
    FAILED = "failed"
    """A phase failed for good, or its workspace could not be made."""
    LOCKED = "locked"
    """Another holder works on the same issue."""
    PARKED = "parked"
    """It needs a person: a job it depends on is not done."""
    NO_CHANGE = "no_change"
    """The agent left the tree as the base has it."""
    NOT_RUN = "not_run"
    """The run was stopped before it began."""
    SKIPPED = "skipped"
    """It was finished by an earlier run, and its branch is there."""
    CANCELLED = "cancelled"
    """A person stopped it, or the run was interrupted while it was at work."""

    @property
    def done(self) -> bool:
        """Whether others may build on it."""
        return self in (JobStatus.PASSED, JobStatus.SKIPPED)


class TaskFacts(msgspec.Struct, frozen=True, gc=False):
    """What a task file says of a task besides what is to be done: given back with its result."""

    index: int
    """Its place in the file, from 0."""
    id: str | None = None
    name: str | None = None
    tags: tuple[str, ...] = ()
    meta: str | None = None
    """A JSON object, as text."""


class PullRequestRef(msgspec.Struct, frozen=True, gc=False):
    """A pull request, as people name it."""

    number: int
    url: str = ""


class PassedBefore(msgspec.Struct, frozen=True, gc=False):
    """Work that an earlier run brought through every phase, and that still lacks its pull request."""

    run: RunId
    commit: str


class Job(msgspec.Struct, frozen=True, gc=False):
    """One thing to get done. `body` is the issue's text or the prompt: data for agents, never instructions to Weft."""

    key: JobKey
    title: str
    lane: str
    body: str = ""
    branch: str | None = None
    """The branch its work ends on; none for jobs that work in place."""
    pipeline: str = "default"
    depends_on: tuple[JobKey, ...] = ()
    after: tuple[JobKey, ...] = ()
    """Jobs it waits for, however they end."""
    takes: tuple[JobKey, ...] = ()
    """Jobs whose output its prompt quotes; it waits for each of them in one of the two ways."""
    builds_on: tuple[str, ...] = ()
    """Branches of work finished before this run that this one starts from."""
    unmet: str | None = None
    """Why it can never start: a dependency outside the run that is not done."""
    finished: str | None = None
    """Why it need not run: finished before."""
    priority: int = 0
    """Higher first."""
    estimate: float = 1.0
    touches: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    milestone: str | None = None
    origin: str = ""
    """Where it came from: the issue's file, or `command line`."""
    folder: str = ""
    """Where in its workspace it works; empty: at the root."""
    gates: tuple[Gate, ...] = ()
    """What must hold for this job besides its repo's gates."""
    task: TaskFacts | None = None
    """For tasks of a task file."""
    earlier: AttemptId | None = None
    """Where it is `finished`: the attempt of an earlier run that did it."""
    passed: PassedBefore | None = None
    """Where no phase is left to run, but a pull request to make."""
    pull_request: PullRequestRef | None = None
    """Where it is `finished`: the one it has."""
    answers: tuple[str, ...] = ()
    """What people answered when it was stuck in earlier runs."""

    @property
    def waits_for(self) -> tuple[JobKey, ...]:
        """Each once."""
        return tuple(dict.fromkeys((*self.depends_on, *self.after)))
