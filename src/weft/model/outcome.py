"""What came of a session, a gate, a phase."""

from __future__ import annotations

from enum import Enum

import msgspec

from weft.model.limits import RateLimit
from weft.model.phase import FailureClass
from weft.model.usage import Usage


class PhaseStatus(Enum):
    PASSED = "passed"
    """The attempt did what the phase asks for."""
    FAILED = "failed"
    """It did not; the quality loop or the job's end follows."""
    RETRYING = "retrying"
    """It failed in a way that passes; another attempt follows at its time."""
    LOST = "lost"
    """Weft died under it; the phase starts again."""
    CANCELLED = "cancelled"
    """It was stopped."""
    CONTINUED = "continued"
    """It was ended at its checkpoint; a fresh session goes on with its work."""


class Verdict(msgspec.Struct, frozen=True):
    """A review's answer. What is not a valid verdict is not approved."""

    approved: bool
    findings: tuple[str, ...] = ()


class Failure(msgspec.Struct, frozen=True):
    """Why something did not succeed, in the failing party's own words."""

    kind: FailureClass
    message: str
    resets_at: float | None = None


class GateResult(msgspec.Struct, frozen=True):
    name: str
    command: str
    passed: bool
    exit_status: int
    duration: float
    tail: str = ""
    """The end of its output, for people and for the agent that mends it; empty when it passed."""


class SessionOutcome(msgspec.Struct, frozen=True):
    """How one agent session ended. `failure` is None exactly when it succeeded."""

    failure: Failure | None = None
    text: str = ""
    verdict: Verdict | None = None
    touches: tuple[str, ...] = ()
    usage: Usage = Usage(sessions=1)
    session_id: str | None = None
    exit_status: int | None = None
    commit: str | None = None
    """The branch's tip after Weft committed what the session left."""
    changed: bool = False
    """Whether the session moved that tip: what was checked before it must be checked again."""
    saved: tuple[str, ...] = ()
    """Refs that hold what a session left that was not to write."""
    denied: tuple[str, ...] = ()
    """Tools the agent wanted and was refused, each once."""
    limits: tuple[RateLimit, ...] = ()
    """What the provider said of the account's limits, the last word on each window."""
    empty: bool = False
    """Whether the tip's tree equals the base's: nothing to hand over."""
