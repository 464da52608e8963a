"""What the judge of `weft compare` said, with the answers' letters turned back into whose they are."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from weft.board.task_results import TaskResult, TaskStatus
from weft.model.ids import JobKey
from weft.pipelines.ranking import labelled, parse_ranking


class Judgement(msgspec.Struct, frozen=True):
    backend: str
    """Who judged."""
    ranking: tuple[JobKey, ...] | None
    """Best first; None where there is no valid ranking."""
    reason: str = ""
    error: str | None = None


def judgement_of(judge: TaskResult, answers: Sequence[TaskResult], said: str) -> Judgement:
    labels = labelled([answer.key for answer in answers if answer.status is TaskStatus.COMPLETED])
    found = parse_ranking(said, list(labels)) if judge.status is TaskStatus.COMPLETED else None
    if found is None:
        return Judgement(judge.backend, None, error=judge.error or "no valid ranking")
    return Judgement(judge.backend, tuple(labels[label] for label in found.labels), found.reason)


def judgement_document(judgement: Judgement, answers: Sequence[TaskResult]) -> dict[str, object]:
    """`ranking`: backends, best first, with the place of each in `results`."""
    known = {answer.key: answer for answer in answers}
    ranked = None
    if judgement.ranking is not None:
        ranked = [{"backend": known[key].backend, "index": known[key].facts.index} for key in judgement.ranking]
    document: dict[str, object] = {"backend": judgement.backend, "ranking": ranked, "reason": judgement.reason}
    return document if judgement.error is None else document | {"error": judgement.error}
