"""Phases and pipelines as data: what a job goes through, in which order, under which rules."""

from __future__ import annotations

from enum import Enum

import msgspec


class FailureClass(Enum):
    """Why an attempt did not succeed; decides whether trying again makes sense."""

    WORK = "work"
    """The work itself is not right; trying the same again would not help."""
    TRANSIENT = "transient"
    """The network, an overloaded server: likely to pass by itself."""
    RATE_LIMITED = "rate-limited"
    """Too many requests for the moment."""
    QUOTA = "quota"
    """The account's allowance is used up until a time that is known."""
    AUTH = "auth"
    """A key or a login is missing or refused."""
    BILLING = "billing"
    """The account cannot pay."""
    TIMEOUT = "timeout"
    """It took longer than the phase's `timeout`."""
    STALLED = "stalled"
    """It did nothing for too long."""
    KILLED = "killed"
    """A signal ended it, Weft's own or another's."""
    CRASHED = "crashed"
    """The program broke down."""
    BAD_OUTPUT = "bad-output"
    """What it printed could not be read."""
    CHECKPOINT = "checkpoint"
    """It was ended after its `checkpoint`; a fresh session goes on with what it left. Not a failure to try again."""
    BUDGET = "budget"
    """It went over what it may spend, or nothing is left to spend. Never tried again."""
    QUESTION = "question"
    """It needs to know something that only a person can tell. Never tried again: the job is parked until one does."""
    LOST = "lost"
    """The process that watches over it died under it, so it was ended; Weft makes the attempt again by itself."""
    LOCK_LOST = "lock-lost"
    """Another took the job's lock over; nothing more is written for it."""
    SETUP = "setup"
    """The program could not be started at all."""


class StepKind(Enum):
    """What a phase is made of: gate commands that Weft runs, an agent's session, or both in this order."""

    GATES = "gates"
    SESSION = "session"


class ApprovalMode(Enum):
    DEFAULT = "default"
    AUTO = "auto"
    NONE = "none"
    ALWAYS = "always"


class SandboxMode(Enum):
    DEFAULT = "default"
    READ_ONLY = "read-only"
    WORKSPACE = "workspace"
    FULL = "full"


class RetryPolicy(msgspec.Struct, frozen=True):
    """Try again after these failures, so often, after `backoff` seconds times `factor` per further try."""

    classes: tuple[FailureClass, ...] = ()
    times: int = 0
    backoff: float = 5.0
    factor: float = 2.0

    def delay(self, retries_so_far: int) -> float:
        return float(self.backoff * self.factor**retries_so_far)


NEVER = RetryPolicy()


class Phase(msgspec.Struct, frozen=True):
    """One phase. `mends` names the phase to go back to when this one finds the work wanting."""

    name: str
    steps: tuple[StepKind, ...]
    agent: str = ""
    model: str | None = None
    prompt: str = ""
    timeout: float = 1800.0
    stall: float | None = None
    """After so many seconds without a sign of work a session is stopped; 0, or not said: never."""
    checkpoint: float | None = None
    """After so many seconds a session is asked to end and a fresh one goes on with its work; 0, or not said: never."""
    resumes: bool = False
    """Whether work that comes back to it is mended in the session that did it."""
    recovers: bool = False
    """Whether after a crash its session is gone on with, in the workspace as it was left; else it starts clean."""
    retry: RetryPolicy = NEVER
    approval_mode: ApprovalMode = ApprovalMode.DEFAULT
    sandbox_mode: SandboxMode = SandboxMode.DEFAULT
    max_turns: int | None = None
    """How often the model may be asked in one session."""
    max_tokens: int | None = None
    """How long one answer of the model may be."""
    system_prompt: str | None = None
    """What the agent is told besides its own instructions."""
    verbatim: bool = False
    """The job's text is the prompt, as it is."""
    ranks: bool = False
    """The session ranks answers; an answer that is no ranking of them is a failure."""
    writes: bool = False
    must_change: bool = True
    """Whether a session that writes and leaves the tree as the base has it has not done what was asked."""
    verdict: bool = False
    mends: str | None = None


class Pipeline(msgspec.Struct, frozen=True):
    """`whole` is false when leading phases were cut off: then the job goes on from its branch as it is."""

    name: str
    phases: tuple[Phase, ...]
    quality_loop: int = 3
    whole: bool = True

    def index(self, name: str) -> int:
        for position, phase in enumerate(self.phases):
            if phase.name == name:
                return position
        raise KeyError(name)
