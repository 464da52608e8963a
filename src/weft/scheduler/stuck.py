"""Jobs that need a person: what they ask, and where they go on when they have their answer (UI-4)."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from weft.model.job import JobStatus
from weft.model.outcome import Failure
from weft.scheduler.jobrun import NO_OUTPUTS, Ending, JobRun


def asks(failure: Failure) -> Ending:
    """A question of the agent's own: trying again would only ask it again."""
    return Ending(JobStatus.PARKED, f"asks: {' '.join(failure.message.split())}")


class Stuck(msgspec.Struct, frozen=True):
    """Where an ended job stopped, so that an answer can go on from there."""

    phase_index: int = 0
    head: str | None = None
    outputs: Mapping[str, str] = NO_OUTPUTS
    findings: tuple[str, ...] = ()

    @classmethod
    def of(cls, job: JobRun) -> Stuck:
        """From its first phase where no commit of its own is there to go on from, or what it lacks is not work."""
        if job.head is None or job.job.branch is None or job.passed is not None:
            return cls()
        index = _author(job)
        found = _found(job) if index != job.phase_index else ()
        return cls(index, job.head, job.outputs, found)

    def restore(self, job: JobRun) -> None:
        """After it was set back to before its first phase."""
        job.phase_index = self.phase_index
        job.head = self.head
        job.outputs = self.outputs
        job.findings = self.findings


def _author(job: JobRun) -> int:
    """Who can do something about it: where a check found the work wanting, the phase that mends it."""
    names = [phase.name for phase in job.pipeline.phases]
    mends = job.phase.mends
    return names.index(mends) if mends in names else job.phase_index


def _found(job: JobRun) -> tuple[str, ...]:
    ending = job.ending
    told = (ending.detail or ending.reason) if ending is not None else None
    return (told,) if told else ()
