"""What a made-up model does when it is asked, whichever way it is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias


class Say(NamedTuple):
    text: str


class Write(NamedTuple):
    """Call the tool that writes a file in the working directory."""

    path: str
    text: str


class Shell(NamedTuple):
    """Call the tool that runs a command."""

    command: str


class Answer(NamedTuple):
    """Give a structured answer, where one was asked for."""

    value: dict[str, Any]


class Empty(NamedTuple):
    """A whole answer with nothing in it."""


class Fail(NamedTuple):
    """An HTTP error in the provider's shape. `kind` is the provider's name for it."""

    status: int
    message: str = "made up"
    kind: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    more: tuple[tuple[str, Any], ...] = ()
    """Further fields of the error."""


class Hang(NamedTuple):
    """Say nothing until the other side goes away."""


class Cut(NamedTuple):
    """Close the connection in the middle of the answer."""


class Garbage(NamedTuple):
    """A page instead of an answer, as a captive portal has it."""


Reply: TypeAlias = Say | Write | Shell | Answer | Empty | Fail | Hang | Cut | Garbage


class Turn(NamedTuple):
    """One question to the model."""

    prompt: str
    """All that the user said so far."""
    results: int
    """How many tools have answered in this conversation."""
    number: int
    """How many questions there were under this address, this one included."""
    body: dict[str, Any]


Model: TypeAlias = Callable[[Turn], Reply]


def script(*replies: Reply) -> Model:
    """One after the other as tools answer; the last for ever."""
    return lambda turn: replies[min(turn.results, len(replies) - 1)]


def failing_first(times: int, failure: Reply, then: Model) -> Model:
    """So many questions fail, whatever they are."""
    return lambda turn: failure if turn.number <= times else then(turn)
