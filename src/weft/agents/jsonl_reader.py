"""Reads agents that print Weft's event lines, and judges by them (AGENT-4): an exit status of 0 is not enough."""

from __future__ import annotations

import msgspec

from weft.agents import lines
from weft.agents.endings import ending_failure, last_part, without_json
from weft.agents.recent_text import RecentText
from weft.model.limits import LimitStatus, RateLimit
from weft.model.outcome import Failure, SessionOutcome, Verdict
from weft.model.phase import FailureClass, Phase
from weft.model.usage import NO_USAGE, Usage
from weft.pipelines.answers import asked
from weft.pipelines.touches import clean_paths, parse_touches
from weft.pipelines.verdict import explained

_MOST_NOTES = 5


class JsonlReader:
    """Keeps what the lines said so far; bounded, however long the transcript is."""

    wants_lines = True

    def __init__(self, phase: Phase) -> None:
        self._phase = phase
        self._usage = NO_USAGE
        self._result: lines.ResultLine | lines.Malformed | None = None
        self._verdict: lines.VerdictLine | lines.Malformed | None = None
        self._limit: lines.RateLimitLine | None = None
        self._touches: list[str] = []
        self._question: lines.QuestionLine | None = None
        self._messages = RecentText()
        self._session_id: str | None = None
        self._notes: list[str] = []

    def feed(self, line: bytes) -> None:
        match lines.parse_line(line):
            case None:
                pass  # the agent's own, or garbage: it stays in the transcript
            case lines.Malformed() as bad:
                self._take_malformed(bad)
            case lines.UsageLine() as used:
                self._usage += Usage(used.input_tokens, used.output_tokens, used.cached_tokens, used.cost_usd)
            case lines.ResultLine() as result:
                self._result = result
            case lines.VerdictLine() as verdict:
                self._verdict = verdict
            case lines.RateLimitLine() as limit:
                self._limit = limit
            case lines.TouchesLine(paths=paths):
                self._touches.extend(paths)
            case lines.QuestionLine() as question:
                self._question = question
            case lines.MessageLine(text=text):
                self._messages.add(f"{text}\n")
            case lines.StartedLine(session_id=session_id):
                self._session_id = session_id

    @property
    def used(self) -> Usage:
        return self._usage

    def outcome(self, exit_status: int, tail: str) -> SessionOutcome:
        verdict = self._read_verdict()
        failure = self._failure(exit_status, tail)
        if failure and failure.kind is FailureClass.WORK and verdict and not verdict.approved and not self._refused:
            failure = None  # a reviewer that says no by its exit status too has still done its work
        failure = self._asked(failure)
        text = self._text(tail)
        return SessionOutcome(
            failure=failure,
            text=text,
            verdict=explained(verdict, self._complaint(text)) if self._phase.verdict and not failure else None,
            touches=clean_paths(self._touches) or parse_touches(text),
            usage=msgspec.structs.replace(self._usage, sessions=1),
            session_id=self._session_id,
            exit_status=exit_status,
            limits=self._limits(),
        )

    def _asked(self, failure: Failure | None) -> Failure | None:
        """Who asks has not done its work, whatever else it says; but a session that broke down is made again first."""
        if self._question is None or (failure is not None and failure.kind is not FailureClass.WORK):
            return failure
        return Failure(FailureClass.QUESTION, asked(self._question.text))

    @property
    def refusal(self) -> RateLimit | None:
        return next((limit for limit in self._limits() if limit.status is LimitStatus.REJECTED), None)

    def _limits(self) -> tuple[RateLimit, ...]:
        told = self._limit
        return () if told is None else (RateLimit(told.status, told.scope, told.resets_at),)

    def _take_malformed(self, bad: lines.Malformed) -> None:
        if bad.kind == "result":
            self._result = bad
        elif bad.kind == "verdict":
            self._verdict = bad
        if len(self._notes) < _MOST_NOTES:
            self._notes.append(f"a `{bad.kind}` line could not be read: {bad.problem}")

    @property
    def _refused(self) -> bool:
        """Whether the result line says that the session itself failed."""
        return isinstance(self._result, lines.ResultLine) and not self._result.ok

    def _failure(self, exit_status: int, tail: str) -> Failure | None:
        """By the signal, then the result's own word, then the rate limit, then the exit status."""
        by_status = ending_failure(exit_status, self._last_words(tail))
        if exit_status < 0 or not (by_status or self._result is not None):
            return by_status
        match self._result:
            case lines.ResultLine(ok=False) as result:
                return self._limited(
                    Failure(result.failure.failure_class, result.text or self._last_words(tail) or "failed")
                )
            case lines.Malformed() if by_status is None:
                return Failure(FailureClass.BAD_OUTPUT, "; ".join(self._notes))
        return self._limited(by_status) if by_status else None

    def _limited(self, failure: Failure) -> Failure:
        """A failure after the provider had said no is due to that, and passes when the limit does."""
        if self._limit is None or self._limit.status is not lines.LimitStatus.REJECTED:
            return failure
        resets_at = self._limit.resets_at
        kind = FailureClass.RATE_LIMITED if resets_at is None else FailureClass.QUOTA
        return Failure(kind, failure.message, resets_at)

    def _read_verdict(self) -> Verdict | None:
        if not self._phase.verdict or not isinstance(self._verdict, lines.VerdictLine):
            return None
        return Verdict(self._verdict.approved, self._verdict.findings)

    def _complaint(self, text: str) -> str:
        return "; ".join(self._notes) or text

    def _text(self, tail: str) -> str:
        if isinstance(self._result, lines.ResultLine) and self._result.text:
            return self._result.text
        return str(self._messages).strip() or last_part(tail)

    def _last_words(self, tail: str) -> str:
        """What people can read: other lines than JSON, standard error among them, then messages, then all there is."""
        return without_json(tail) or last_part(str(self._messages)) or tail
