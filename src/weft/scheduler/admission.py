"""Who starts: slots, lanes, agents' sessions. The only place that lets work begin."""

from __future__ import annotations

from weft.model.events import JobAdmitted
from weft.scheduler.attempts import prepare
from weft.scheduler.ending import end_now, unmet
from weft.scheduler.jobrun import Ending, JobRun
from weft.scheduler.spending import no_budget, not_run
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
        if job.job.unmet is not None:
            _leave_out(turn, job, unmet(job.job.unmet))
        elif (why := no_budget(turn, job)) is not None:
            _leave_out(turn, job, not_run(why))
        else:
            _take_slot(turn, job)


def _leave_out(turn: Turn, job: JobRun, ending: Ending) -> None:
    """One after the other, a job that can never start ends when its turn comes: those before it have run."""
    turn.state.queue.offer(job.lane)
    end_now(turn, job, ending)


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
