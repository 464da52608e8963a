"""Weft's own event lines: what an agent with `output = "jsonl"` prints, one JSON object per line.

Each known type is read strictly. A line of a known type that does not fit is `Malformed`; whatever else a line holds is
none of Weft's business and stays in the transcript (AGENT-3).
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, TypeAlias

import msgspec

from weft.model.limits import LimitStatus as LimitStatus
from weft.model.phase import FailureClass

Count = Annotated[int, msgspec.Meta(ge=0, le=10**15)]
Money = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
Instant = Annotated[float, msgspec.Meta(ge=0, le=1e11)]


class Told(Enum):
    """The failure classes an agent may give itself; the others are for Weft to see."""

    WORK = "work"
    TRANSIENT = "transient"
    RATE_LIMITED = "rate-limited"
    QUOTA = "quota"
    AUTH = "auth"
    BILLING = "billing"
    BAD_OUTPUT = "bad-output"
    SETUP = "setup"
    """It could not begin, such as with a session that it does not know."""

    @property
    def failure_class(self) -> FailureClass:
        return FailureClass(self.value)


class StartedLine(msgspec.Struct, frozen=True):
    session_id: str


class MessageLine(msgspec.Struct, frozen=True):
    text: str


class UsageLine(msgspec.Struct, frozen=True):
    """To be added to the session's total."""

    input_tokens: Count = 0
    output_tokens: Count = 0
    cached_tokens: Count = 0
    cost_usd: Money | None = None


class RateLimitLine(msgspec.Struct, frozen=True):
    status: LimitStatus
    resets_at: Instant | None = None
    scope: str = "account"


class VerdictLine(msgspec.Struct, frozen=True):
    approved: bool
    findings: tuple[str, ...] = ()


class TouchesLine(msgspec.Struct, frozen=True):
    paths: tuple[str, ...]


class QuestionLine(msgspec.Struct, frozen=True):
    """It cannot go on before a person has answered."""

    text: Annotated[str, msgspec.Meta(pattern=r"\S")]


class ResultLine(msgspec.Struct, frozen=True):
    ok: bool
    text: str = ""
    failure: Told = msgspec.field(name="class", default=Told.WORK)


class Malformed(msgspec.Struct, frozen=True):
    """A line of a known type that cannot be taken for it."""

    kind: str
    problem: str


Line: TypeAlias = (
    StartedLine
    | MessageLine
    | UsageLine
    | RateLimitLine
    | VerdictLine
    | TouchesLine
    | QuestionLine
    | ResultLine
    | Malformed
)

KINDS: dict[str, type[Line]] = {
    "started": StartedLine,
    "message": MessageLine,
    "usage": UsageLine,
    "rate_limit": RateLimitLine,
    "verdict": VerdictLine,
    "touches": TouchesLine,
    "question": QuestionLine,
    "result": ResultLine,
}


class _Head(msgspec.Struct, frozen=True):
    type: str


_HEAD = msgspec.json.Decoder(_Head)
_DECODERS = {kind: msgspec.json.Decoder(shape) for kind, shape in KINDS.items()}


def parse_line(line: bytes) -> Line | None:
    """What the line says; None when it is not one of Weft's. Never raises."""
    try:
        kind = _HEAD.decode(line).type
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if kind not in KINDS:
        return None
    try:
        return _DECODERS[kind].decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return Malformed(kind, str(error))
