"""What the end of a job says about it."""

from __future__ import annotations

from collections.abc import Iterable

from weft.model.events import PhaseEnded
from weft.model.ids import JobKey
from weft.model.job import JobStatus
from weft.model.outcome import PhaseStatus
from weft.ports import Entry

UNTOUCHED = frozenset({JobStatus.SKIPPED, JobStatus.LOCKED, JobStatus.NOT_RUN})
"""Ends of jobs that nobody worked on: they say nothing about what became of the work before."""


def phases_passed(entries: Iterable[Entry], job: JobKey) -> tuple[str, ...]:
    """The phases of the job whose last attempt passed, in the order they first ended."""
    last: dict[str, PhaseStatus] = {}
    for entry in entries:
        if isinstance(entry.event, PhaseEnded) and entry.event.attempt.job == job:
            last[entry.event.attempt.phase] = entry.event.status
    return tuple(phase for phase, status in last.items() if status is PhaseStatus.PASSED)
