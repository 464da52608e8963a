"""Reads agents that print plain text: the exit status says it all, in a review also the verdict."""

from __future__ import annotations

from weft.agents.endings import TRANSIENT_STATUS, ending_failure, last_part, last_words
from weft.model.outcome import SessionOutcome, Verdict
from weft.model.phase import Phase
from weft.model.usage import NO_USAGE, Usage
from weft.pipelines.touches import parse_touches


class TextReader:
    wants_lines = False

    def __init__(self, phase: Phase) -> None:
        self._phase = phase

    def feed(self, line: bytes) -> None:
        """Nothing to learn: the transcript's tail comes with the end."""

    @property
    def refusal(self) -> None:
        """Nor of limits."""

    @property
    def used(self) -> Usage:
        """Nobody tells."""
        return NO_USAGE

    def outcome(self, exit_status: int, tail: str) -> SessionOutcome:
        text = last_part(tail)
        verdict = self._verdict(exit_status, text)
        return SessionOutcome(
            failure=None if verdict else ending_failure(exit_status, text),
            text=text,
            verdict=verdict,
            touches=parse_touches(text),
            exit_status=exit_status,
        )

    def _verdict(self, exit_status: int, text: str) -> Verdict | None:
        """A signal or a transient failure is no answer to the question."""
        if not self._phase.verdict or exit_status < 0 or exit_status == TRANSIENT_STATUS:
            return None
        if exit_status == 0:
            return Verdict(True)
        said = last_words(text) or f"The review ended with exit status {exit_status} and said nothing"
        return Verdict(False, (said,))
