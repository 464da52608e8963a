"""Commands: what is to be done. Never stored: replaying the events gives them again."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

import msgspec

from weft.model.budget import Amounts
from weft.model.earlier import Earlier
from weft.model.events import Note
from weft.model.ids import AttemptId, JobKey
from weft.model.outcome import Failure


class PrepareWorkspace(msgspec.Struct, frozen=True, gc=False):
    """Make the job's workspace, or bring it back to `head`. Answer: WorkspaceReady or WorkspaceFailed."""

    job: JobKey
    starts_from: tuple[str, ...] = ()
    """Branches to start from, merged onto the base; empty: the base alone."""
    onto_base: bool = True
    """False in a chain: start at the one branch given, without the base."""
    head: str | None = None
    """The commit this run had reached; what is beyond it is saved and taken away."""
    merge: str | None = None
    """A commit to merge into it, conflicts and all, for an agent to resolve; nothing is committed yet."""


class TakeLock(msgspec.Struct, frozen=True, gc=False):
    """See to it that no other works on the job. Answer: LockTaken or LockRefused."""

    job: JobKey


class ReleaseLock(msgspec.Struct, frozen=True, gc=False):
    """Let others work on the job. No answer."""

    job: JobKey


class RunGates(msgspec.Struct, frozen=True, gc=False):
    """Run the repo's gates on the job's tree. Answer: AttemptStarted (on the first step), GatesEnded."""

    attempt: AttemptId
    first: bool
    """Whether this is the attempt's first step, which announces it."""


class Taken(msgspec.Struct, frozen=True, gc=False):
    """An attempt of another job whose output goes into a prompt."""

    attempt: AttemptId
    done: bool
    """Whether its job succeeded."""


class RunSession(msgspec.Struct, frozen=True, gc=False):
    """Have an agent do the attempt. Answer: AttemptStarted (on the first step), SessionEnded."""

    attempt: AttemptId
    first: bool
    outputs: tuple[tuple[str, str], ...] = ()
    """What earlier phases said, by phase."""
    findings: tuple[str, ...] = ()
    """What was found wanting in the attempt before."""
    head: str | None = None
    """The branch's tip before the attempt: what is beyond it is the attempt's work."""
    takes: tuple[Taken, ...] = ()
    """What other jobs said: by name, since it may be long."""
    continues: str | None = None
    """Where it goes on with the work of a session that was ended at its checkpoint: what that one said last."""
    resume: Earlier | None = None
    """The session to go on in, where its agent can."""
    interrupted: bool = False
    """Whether that one was cut short: its workspace is as it left it."""
    reserved: Amounts | None = None
    """What is set aside for it, where there is a budget."""
    agent: str = ""
    """Who does it in place of the phase's own agent, whose quota is used up."""
    answers: tuple[str, ...] = ()
    """What people answered when the job was stuck."""


class StopAttempt(msgspec.Struct, frozen=True, gc=False):
    """End the attempt's processes. No answer of its own: the attempt answers."""

    attempt: AttemptId
    failure: Failure | None = None
    """What the attempt is to give as its reason; None: it was stopped."""


class StopPreparing(msgspec.Struct, frozen=True, gc=False):
    """Make no more of the job's workspace. No answer of its own: its making answers."""

    job: JobKey


class Keep(Enum):
    """What becomes of a workspace at its job's end."""

    REMOVE_IF_CLEAN = "remove_if_clean"
    KEEP = "keep"


class CloseWorkspace(msgspec.Struct, frozen=True, gc=False):
    """Save what is unsaved, then keep or remove the workspace. Answer: WorkspaceClosed."""

    job: JobKey
    keep: Keep


class ReadTarget(msgspec.Struct, frozen=True, gc=False):
    """Look up the branch that the repo's queue lands on; make it from the base where it is missing. Answer:
    TargetRead.
    """

    repo: str


class MakeMerge(msgspec.Struct, frozen=True, gc=False):
    """Merge `source`, the tip of the job's branch, onto `onto`, as a commit that no branch has yet. Touches no
    worktree. Answer: MergeMade.
    """

    attempt: AttemptId
    """Its phase is `merge`; its number counts the job's builds."""
    source: str
    onto: str


class GateMerge(msgspec.Struct, frozen=True, gc=False):
    """Run the repo's gates on exactly this commit, in a workspace of its own; those that fail once more, to tell
    flaky ones. Answer: MergeGated.
    """

    attempt: AttemptId
    commit: str


class GateTarget(msgspec.Struct, frozen=True, gc=False):
    """Run the repo's gates on the target alone: is it red without the branch? Answer: TargetGated."""

    attempt: AttemptId
    """Its phase is `target`: on behalf of the job whose branch was red."""
    commit: str


class Land(msgspec.Struct, frozen=True, gc=False):
    """Move the target from `expected` to `commit`, by compare-and-swap. A target that has it already has landed.
    Answer: LandingEnded.
    """

    attempt: AttemptId
    commit: str
    expected: str


class Publish(msgspec.Struct, frozen=True, gc=False):
    """Push the job's branch and see to its one pull request. Safe to repeat. Answer: PublishEnded."""

    attempt: AttemptId
    """Its phase is `publish`."""
    commit: str
    base: str
    """The branch that the pull request goes to."""


class HandOff(msgspec.Struct, frozen=True, gc=False):
    """Push the repo's target and see to its one pull request. Safe to repeat. Answer: HandoffEnded."""

    repo: str
    number: int


class StopHandOff(msgspec.Struct, frozen=True, gc=False):
    """Wait for it no longer. No answer of its own: the hand-off answers."""

    repo: str
    number: int


class WakeAt(msgspec.Struct, frozen=True, gc=False):
    """Answer with TimerFired at this time."""

    at: float


class WriteNote(msgspec.Struct, frozen=True, gc=False):
    """Write a conclusion to the journal. No answer."""

    note: Note


Command: TypeAlias = (
    PrepareWorkspace
    | TakeLock
    | ReleaseLock
    | RunGates
    | RunSession
    | StopAttempt
    | StopPreparing
    | CloseWorkspace
    | ReadTarget
    | MakeMerge
    | GateMerge
    | GateTarget
    | Land
    | Publish
    | HandOff
    | StopHandOff
    | WakeAt
    | WriteNote
)
