"""Who starts: slots, lanes, agents' sessions. The only place that lets work begin."""

from __future__ import annotations

from weft.model.events import JobAdmitted
from weft.scheduler.attempts import prepare
from weft.scheduler.ending import end_now, unmet
from weft.scheduler.jobrun import JobRun
from weft.scheduler.states import JobState
from weft.scheduler.turn import Turn


def admit(turn: Turn) -> None:
    """Fill the free slots, best job first."""
    state = turn.state
    cap = state.effective_cap
    while state.in_flight < cap and state.stopped_by is None:
        job = state.apart.pop()
        if job is None:
            return
        if job.job.unmet is None:
            _take_slot(turn, job)
        else:
            _park(turn, job, job.job.unmet)


def _park(turn: Turn, job: JobRun, why: str) -> None:
    """One after the other, a job that can never start is parked when its turn comes: those before it have run."""
    turn.state.queue.offer(job.lane)
    end_now(turn, job, unmet(why))


def _take_slot(turn: Turn, job: JobRun) -> None:
    state = turn.state
    state.in_flight += 1
    job.has_slot = True
    if job.state is JobState.READY:
        job.lane.used += 1
        state.apart.begin(job)
        state.queue.offer(job.lane)
        turn.note(JobAdmitted(at=turn.at, job=job.key))
    prepare(turn, job)
