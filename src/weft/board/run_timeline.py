"""When a run's jobs were worked on, as a timeline: a row for each job, or, where those are many, for each repo."""

from __future__ import annotations

from weft.board.durations import duration_text
from weft.board.queue_view import MERGE
from weft.board.report_rows import attempts_of
from weft.board.timeline import Bar, Row, Timeline, Tone
from weft.board.views import AttemptView, JobView, RunView
from weft.model.job import JobStatus
from weft.model.outcome import PhaseStatus
from weft.pipelines.fence import clean_line

MOST_JOBS = 60
"""With a row of their own."""
LONGEST_TIP = 400

_ATTEMPTS = {
    PhaseStatus.PASSED: Tone.PASSED,
    PhaseStatus.FAILED: Tone.FAILED,
    PhaseStatus.LOST: Tone.FAILED,
    PhaseStatus.CANCELLED: Tone.PARKED,
}
_JOBS = {
    JobStatus.PASSED: Tone.PASSED,
    JobStatus.FAILED: Tone.FAILED,
    JobStatus.PARKED: Tone.PARKED,
    JobStatus.CANCELLED: Tone.PARKED,
}


def run_timeline(view: RunView, now: float | None = None) -> Timeline:
    end = view.ended_at or (now if now is not None and view.alive else view.last_at)
    begun = [job for job in view.jobs.values() if job.started_at is not None]
    rows = _by_job(view, begun, end) if len(begun) <= MOST_JOBS else _by_repo(view, begun, end)
    return Timeline(f"Run {view.run}", view.started_at, max(end, view.started_at), rows, rows_are="jobs")


def _by_job(view: RunView, jobs: list[JobView], end: float) -> list[Row]:
    ordered = sorted(jobs, key=lambda job: job.started_at or 0.0)
    return [_row(view, job, end) for job in ordered]


def _row(view: RunView, job: JobView, end: float) -> Row:
    bars = [_attempt(name, attempt, end) for name, attempt in attempts_of(job)]
    return Row(clean_line(f"{view.label(job.key)} {job.job.title}"), bars)


def _attempt(phase: str, attempt: AttemptView, end: float) -> Bar:
    over = end if attempt.duration is None else attempt.started_at + attempt.duration
    word = attempt.status.value if attempt.status else "running"
    tone = _ATTEMPTS.get(attempt.status, Tone.WORK) if attempt.status else Tone.WORK
    if phase == MERGE and tone is Tone.PARKED:
        tone = Tone.QUEUE
    why = f": {attempt.reason}" if attempt.reason else ""
    tip = f"{phase} attempt {attempt.number}, {duration_text(over - attempt.started_at)}, {word}{why}"
    return Bar(attempt.started_at, over, phase, clean_line(tip, LONGEST_TIP), tone)


def _by_repo(view: RunView, jobs: list[JobView], end: float) -> list[Row]:
    repos: dict[str, list[Bar]] = {}
    for job in jobs:
        repos.setdefault(job.key.repo, []).append(_job(view, job, end))
    return [Row(repo, bars) for repo, bars in repos.items()]


def _job(view: RunView, job: JobView, end: float) -> Bar:
    assert job.started_at is not None
    tone = _JOBS.get(job.status, Tone.WORK) if job.status else Tone.WORK
    over = job.ended_at or end
    tip = f"{view.label(job.key)} {job.job.title}, {duration_text(over - job.started_at)}, {view.shown_status(job)}"
    return Bar(job.started_at, over, view.label(job.key), clean_line(tip, LONGEST_TIP), tone)
