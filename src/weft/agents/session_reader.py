"""What came of a session of a built-in agent: its events folded, and judged once it has ended (AGENT-4).

Success is a last word that says so and an exit status of 0. Neither alone is enough: agents end with status 0 after
errors, and are cut off after all is done.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Sequence

import msgspec

from weft.agents import events
from weft.agents.endings import ending_failure, last_words, without_json
from weft.agents.failures import by_words
from weft.agents.recent_text import RecentText
from weft.model.limits import LimitStatus, RateLimit
from weft.model.outcome import Failure, SessionOutcome, Verdict
from weft.model.phase import FailureClass, Phase
from weft.model.usage import NO_USAGE, Usage
from weft.pipelines.touches import parse_touches
from weft.pipelines.verdict import explained, parse_verdict, verdict_of

Translate = Callable[[bytes], Iterable[events.AgentEvent]]

_WORKING = (events.Message, events.Fragment, events.ToolCall)
_MOST_DENIED = 20
_SHELL_SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGTERM)
"""A program that handles a signal often ends with 128 and its number instead of by it."""


class SessionReader:
    """Bounded, however long the transcript is."""

    wants_lines = True

    def __init__(self, phase: Phase, translate: Translate, *, noise: Sequence[str] = ()) -> None:
        self._phase = phase
        self._translate = translate
        self._noise = tuple(noise)
        self._session_id: str | None = None
        self._message = RecentText()
        self._open = False
        self._used_tools = False
        self._denied: dict[str, None] = {}
        self._limits: dict[str, RateLimit] = {}
        self._usage = NO_USAGE
        self._trouble = ""
        self._finished: events.Finished | None = None

    def feed(self, line: bytes) -> None:
        for event in self._translate(line):
            self._take(event)

    def _take(self, event: events.AgentEvent) -> None:
        if not isinstance(event, events.Fragment):
            self._open = False
        if isinstance(event, _WORKING):
            self._finished = None  # it went on, so that was not its last word
        match event:
            case events.Started(session_id=session_id):
                self._session_id = session_id or self._session_id
            case events.Message(text=text):
                self._message.set(text)
            case events.Fragment(text=text):
                (self._message.add if self._open else self._message.set)(text)
                self._open = True
            case events.ToolCall():
                self._used_tools = True
            case events.Denied(tool=tool):
                if len(self._denied) < _MOST_DENIED:
                    self._denied[tool] = None
            case events.Spent(usage=usage):
                self._usage += usage
            case events.Total(usage=usage):
                self._usage = usage
            case events.Limited(limit=limit):
                self._limits[limit.window] = limit
            case events.Trouble(message=message):
                self._trouble = message
            case events.Finished():
                self._finished = event

    @property
    def used(self) -> Usage:
        return self._usage

    @property
    def refusal(self) -> RateLimit | None:
        rejected = [limit for limit in self._limits.values() if limit.status is LimitStatus.REJECTED]
        return max(rejected, key=lambda limit: limit.resets_at or 0.0, default=None)

    def outcome(self, exit_status: int, tail: str) -> SessionOutcome:
        failure = self._failure(exit_status, tail)
        text = self._text()
        return SessionOutcome(
            failure=failure,
            text=text,
            verdict=self._verdict(text) if self._phase.verdict and failure is None else None,
            touches=parse_touches(text),
            usage=msgspec.structs.replace(self._usage, sessions=1),
            session_id=self._session_id,
            exit_status=exit_status,
            denied=tuple(self._denied),
            limits=tuple(self._limits.values()),
        )

    def _text(self) -> str:
        if self._finished is not None and self._finished.text is not None:
            return self._finished.text
        return str(self._message)

    def _verdict(self, text: str) -> Verdict:
        structured = verdict_of(self._finished.answer) if self._finished else None
        return explained(structured or parse_verdict(text), said=text)

    def _failure(self, exit_status: int, tail: str) -> Failure | None:
        """By the signal, then the agent's last word, then the exit status."""
        said = self._words(tail)
        number = exit_status - 128
        if exit_status < 0 or (self._finished is None and number in _SHELL_SIGNALS):
            return ending_failure(exit_status if exit_status < 0 else -number, said)
        if self._finished is None:
            return self._limited(self._unfinished(exit_status, said))
        if self._finished.failure is not None:
            return self._limited(self._finished.failure)
        if exit_status != 0:
            return Failure(FailureClass.CRASHED, f"ended with exit status {exit_status} after its answer: {said}")
        return None if self._text().strip() or self._used_tools or self._finished.answer else _EMPTY

    def _unfinished(self, exit_status: int, said: str) -> Failure:
        if exit_status == 0:
            return Failure(FailureClass.BAD_OUTPUT, f"ended without saying what came of it{_quoted(said)}")
        broke = FailureClass.SETUP if self._session_id is None else FailureClass.CRASHED
        return Failure(by_words(said) or broke, said or f"ended with exit status {exit_status} and said nothing")

    def _limited(self, failure: Failure) -> Failure:
        """A failure after the provider had said no is due to that, and passes when the limit does."""
        rejected = [limit for limit in self._limits.values() if limit.status is LimitStatus.REJECTED]
        if not rejected or failure.kind not in (FailureClass.RATE_LIMITED, FailureClass.QUOTA, FailureClass.WORK):
            return failure
        times = [limit.resets_at for limit in rejected if limit.resets_at is not None]
        kind = FailureClass.QUOTA if times or failure.kind is FailureClass.QUOTA else FailureClass.RATE_LIMITED
        return Failure(kind, failure.message, failure.resets_at or max(times, default=None))

    def _words(self, tail: str) -> str:
        """What people can read of the end: standard error for the most part, else what it said last."""
        lines = [line for line in without_json(tail).splitlines() if not line.startswith(self._noise)]
        return (
            last_words("\n".join(_before_usage(lines))) or last_words(self._trouble) or last_words(str(self._message))
        )


_EMPTY = Failure(FailureClass.BAD_OUTPUT, "the model gave an empty answer")


def _before_usage(lines: list[str]) -> list[str]:
    """A program that does not like its arguments says why, and then how it is used at length."""
    usage = next((number for number, line in enumerate(lines) if line.startswith("Usage:")), 0)
    return lines[:usage] or lines


def _quoted(said: str) -> str:
    return f": {said}" if said else ""
