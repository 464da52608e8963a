"""What people answered when jobs were stuck in earlier runs goes into the plan of the next (UI-4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from weft.model.answer import Answer
from weft.model.job import Job
from weft.model.plan import Mode, Plan


class Answers(Protocol):
    def answers(self) -> list[Answer]: ...


def with_answers(plan: Plan, journal: Answers) -> Plan:
    """A repo is known by its path. Tasks of a task file are nobody's issues, though they may be called like some."""
    found = journal.answers()
    if not found or plan.mode is Mode.TASKS:
        return plan
    paths = {repo.name: repo.path for repo in plan.repos}
    jobs = tuple(_answered(job, paths.get(job.key.repo, ""), found) for job in plan.jobs)
    return msgspec.structs.replace(plan, jobs=jobs)


def _answered(job: Job, path: str, found: Sequence[Answer]) -> Job:
    texts = tuple(answer.text for answer in found if (answer.path, answer.job) == (path, job.key.id))
    return msgspec.structs.replace(job, answers=texts) if texts else job
