"""A session that changed nothing and ends with `QUESTION: …` has not done its work: it asks (UI-4)."""

from __future__ import annotations

import msgspec

from weft.model.outcome import Failure, SessionOutcome
from weft.model.phase import FailureClass, Phase
from weft.pipelines.answers import question_in


def with_question(phase: Phase, outcome: SessionOutcome) -> SessionOutcome:
    """Only of phases whose prompt says so: a review answers by its verdict, and what tasks print is their own."""
    if phase.verbatim or phase.verdict or phase.ranks:
        return outcome
    question = question_in(outcome.text)
    if question is None:
        return outcome
    return msgspec.structs.replace(outcome, failure=Failure(FailureClass.QUESTION, question))
