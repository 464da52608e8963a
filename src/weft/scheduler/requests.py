"""What people and the governor ask for while a run is under way."""

from __future__ import annotations

from weft.model.events import CancelRequested, CapSet, GovernorCapSet, PauseSet, RetryRequested, StopRequested
from weft.model.job import JobStatus
from weft.scheduler.admission import admit, make_ready
from weft.scheduler.ending import end_now, end_run_if_done, halt, stop_in_flight, stop_job
from weft.scheduler.jobrun import Ending, JobRun
from weft.scheduler.states import JobState
from weft.scheduler.turn import Turn


def set_cap(turn: Turn, event: CapSet) -> None:
    turn.state.cap = event.cap
    admit(turn)


def set_governor_cap(turn: Turn, event: GovernorCapSet) -> None:
    turn.state.governor_cap = event.cap
    turn.state.governor_why = event.why
    admit(turn)


def set_pause(turn: Turn, event: PauseSet) -> None:
    turn.state.paused = event.paused
    admit(turn)


def cancel(turn: Turn, event: CancelRequested) -> None:
    job = turn.state.jobs.get(event.job)
    if job is not None:
        stop_job(turn, job, Ending(JobStatus.CANCELLED, event.why))
        admit(turn)


def stop(turn: Turn, event: StopRequested) -> None:
    """End everything: what never started is not run, what runs is cancelled."""
    if turn.state.stopped_by is not None:
        return
    turn.state.stopped_by = event.signal
    halt(turn, "interrupted before it started")
    stop_in_flight(turn, "interrupted")
    end_run_if_done(turn)


def retry(turn: Turn, event: RetryRequested) -> None:
    """Run an ended job again, and with it those that were parked because of it."""
    state = turn.state
    job = state.jobs.get(event.job)
    if job is None or job.status is None or job.status.done or state.over or state.stopped_by is not None:
        return
    for revived in _blocked_behind(job):
        _revive(turn, revived)
    admit(turn)


def _blocked_behind(job: JobRun) -> list[JobRun]:
    found = [job]
    for one in found:  # grows while it is walked
        found.extend(d for d in one.dependents if d.blocked_by == one.key and d not in found)
    return found


def _revive(turn: Turn, job: JobRun) -> None:
    job.forget()
    job.ending = None
    job.blocked_by = None
    turn.state.remaining += 1
    job.unmet = sum(1 for key in set(job.job.depends_on) if not _done(turn.state.jobs[key]))
    job.move(JobState.WAITING)
    blocker = _lasting_blocker(turn, job)
    if blocker is not None:
        job.blocked_by = blocker.key
        end_now(turn, job, Ending(JobStatus.PARKED, f"unmet dependency {blocker.key}"))
    elif not job.unmet:
        make_ready(turn, job)


def _lasting_blocker(turn: Turn, job: JobRun) -> JobRun | None:
    """A dependency that has ended badly and is not being tried again."""
    for key in job.job.depends_on:
        need = turn.state.jobs[key]
        if need.status is not None and not need.status.done:
            return need
    return None


def _done(job: JobRun) -> bool:
    return job.status is not None and job.status.done
