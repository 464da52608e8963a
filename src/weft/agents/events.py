"""What happens in a session, in Weft's words (AGENT-3). Each agent's own events become these, or nothing."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from weft.model.limits import RateLimit
from weft.model.outcome import Failure
from weft.model.usage import Usage


class Started(msgspec.Struct, frozen=True):
    session_id: str


class Message(msgspec.Struct, frozen=True):
    """A whole message of the agent."""

    text: str


class Fragment(msgspec.Struct, frozen=True):
    """A piece of a message; the pieces that follow each other are one."""

    text: str


class ToolCall(msgspec.Struct, frozen=True):
    name: str


class Denied(msgspec.Struct, frozen=True):
    """A tool the agent wanted and was refused."""

    tool: str


class Spent(msgspec.Struct, frozen=True):
    """To be added to what the session has cost."""

    usage: Usage


class Total(msgspec.Struct, frozen=True):
    """All that the session has cost so far; what was added up before does not count."""

    usage: Usage


class Limited(msgspec.Struct, frozen=True):
    limit: RateLimit


class Trouble(msgspec.Struct, frozen=True):
    """Something went wrong and the session may go on: a retry, a warning."""

    message: str


class Finished(msgspec.Struct, frozen=True):
    """The agent's last word. `failure` is None exactly when it says that it succeeded."""

    failure: Failure | None = None
    text: str | None = None
    """The answer, where the event holds it; else it is the last message."""
    answer: object = None
    """A structured answer, decoded."""


AgentEvent: TypeAlias = Started | Message | Fragment | ToolCall | Denied | Spent | Total | Limited | Trouble | Finished
