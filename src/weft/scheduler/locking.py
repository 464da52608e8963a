"""Locks: a job whose lock is asked for up front waits for it as it waits for a dependency."""

from __future__ import annotations

from weft.model.commands import TakeLock
from weft.model.events import LockRefused, LockTaken
from weft.model.plan import LockRule
from weft.scheduler.admission import admit
from weft.scheduler.ending import end_now, locked, stop_job
from weft.scheduler.jobrun import JobRun
from weft.scheduler.slots import make_ready
from weft.scheduler.states import JobState
from weft.scheduler.turn import Turn

_BEFORE_START = (JobState.WAITING, JobState.READY)


def ask_lock(turn: Turn, job: JobRun) -> None:
    """Where the plan says so; the job is not ready before it is answered."""
    if _up_front(turn):
        job.awaits_lock = True
        turn.state.awaited_locks += 1
        job.unmet += 1
        turn.order(TakeLock(job.key))


def ask_again(turn: Turn, job: JobRun) -> None:
    """After a crash: the dead process held it, this one does not."""
    if (_up_front(turn) and job.state in _BEFORE_START) or (_any(turn) and job.state is JobState.QUEUED):
        turn.order(TakeLock(job.key))


def lock_taken(turn: Turn, event: LockTaken) -> None:
    job = turn.state.job(event.job)
    if not job.awaits_lock or job.state is not JobState.WAITING:
        return
    job.awaits_lock = False
    turn.state.awaited_locks -= 1
    job.unmet -= 1
    if not job.unmet:
        make_ready(turn, job)
    _admit_when_all_answered(turn)


def lock_refused(turn: Turn, event: LockRefused) -> None:
    job = turn.state.job(event.job)
    if job.state in _BEFORE_START:
        end_now(turn, job, locked(event.holder))
        _admit_when_all_answered(turn)
    elif job.state is JobState.QUEUED:
        stop_job(turn, job, locked(event.holder))


def _admit_when_all_answered(turn: Turn) -> None:
    """Not one by one as the answers come: the best job goes first, whichever lock was taken first."""
    if not turn.state.awaited_locks:
        admit(turn)


def _any(turn: Turn) -> bool:
    plan = turn.state.plan
    return plan is not None and plan.lock is not LockRule.NONE


def _up_front(turn: Turn) -> bool:
    plan = turn.state.plan
    return plan is not None and plan.lock is LockRule.UP_FRONT
