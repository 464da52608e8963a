"""Which agent session an attempt goes on in (MERGE-4, RECOVER-3), and when long ones are given up (RECOVER-7)."""

from __future__ import annotations

from weft.model.earlier import Earlier
from weft.model.job import JobStatus
from weft.model.outcome import Failure, SessionOutcome
from weft.model.phase import FailureClass
from weft.model.usage import NO_USAGE
from weft.pipelines.duration import duration_text
from weft.scheduler.jobrun import Ending, JobRun

CHECKPOINTS = 3
"""How many sessions in a row may be ended at their checkpoint; then the job is stuck."""


def author_session(job: JobRun) -> Earlier | None:
    """Work that came back is mended in the session that did it."""
    return job.sessions.get(job.phase.name) if job.findings and job.phase.resumes else None


def remember_session(job: JobRun, outcome: SessionOutcome) -> None:
    """It came to a result, so that it can be gone on with; its usage is that of all its parts."""
    job.checkpoints = 0
    job.continues = None
    forget_session(job)
    if outcome.session_id is not None and job.agent == job.phase.agent:
        before = job.resume.usage if job.resume is not None else NO_USAGE
        job.sessions = {**job.sessions, job.phase.name: Earlier(outcome.session_id, before + outcome.usage)}


def forget_session(job: JobRun) -> None:
    """What the agent remembers of the phase no longer fits the workspace: the next session begins anew."""
    if job.phase.name in job.sessions:
        job.sessions = {name: kept for name, kept in job.sessions.items() if name != job.phase.name}


def never_began(job: JobRun, failure: Failure) -> bool:
    """Whether the session that was to be gone on with is not there any more; else the failure is the new one's."""
    return job.resume is not None and failure.kind is FailureClass.SETUP


def cut_short(job: JobRun, session_id: str) -> Earlier:
    """What it used since it was last heard of is told when it ends."""
    same = job.resume is not None and job.resume.session_id == session_id
    return Earlier(session_id, job.resume.usage if job.resume is not None and same else NO_USAGE)


def stuck(job: JobRun, failure: Failure) -> Ending:
    each = duration_text(job.phase.checkpoint or 0.0)
    return Ending(JobStatus.PARKED, f"stuck: {job.checkpoints} sessions of {each} without a result", failure.message)
