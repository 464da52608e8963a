"""What people and the governor ask for while a run is under way."""

from __future__ import annotations

from weft.model.events import (
    AnswerGiven,
    CancelRequested,
    CapSet,
    GovernorCapSet,
    PauseSet,
    RetryRequested,
    StopRequested,
)
from weft.model.job import JobStatus
from weft.scheduler.admission import admit
from weft.scheduler.ending import ANSWERABLE, end_now, end_run_if_done, halt, stop_in_flight, stop_job, unmet
from weft.scheduler.handoffs import stop_handoffs
from weft.scheduler.jobrun import Ending, JobRun
from weft.scheduler.limits import set_limit
from weft.scheduler.readings import Reading, apply_readings, conclude_limits
from weft.scheduler.slots import make_ready
from weft.scheduler.stands import Limit
from weft.scheduler.states import JobState
from weft.scheduler.stuck import Stuck
from weft.scheduler.turn import Turn


def set_cap(turn: Turn, event: CapSet) -> None:
    turn.state.cap = event.cap
    for lane in turn.state.lanes.values():
        if lane.follows_cap:
            lane.width = event.cap
            turn.state.queue.offer(lane)
    conclude_limits(turn)
    admit(turn)


def set_governor_cap(turn: Turn, event: GovernorCapSet) -> None:
    set_limit(turn.state, event.source, Limit(event.cap, event.why))
    admit(turn)


def take_reading(turn: Turn, event: Reading) -> None:
    apply_readings(turn, (event,))
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
    stop_handoffs(turn)
    end_run_if_done(turn)


def retry(turn: Turn, event: RetryRequested) -> None:
    """Run an ended job again, and with it those that were parked because of it."""
    state = turn.state
    job = state.jobs.get(event.job)
    if job is None or job.status is None or job.status.done or state.over or state.stopped_by is not None:
        return
    _start_again(turn, _blocked_behind(job))


def answer(turn: Turn, event: AnswerGiven) -> None:
    """A stuck job goes on with what a person said, at the phase that had the trouble where there is a commit of it."""
    state = turn.state
    job = state.jobs.get(event.job)
    if job is None or job.status not in ANSWERABLE or state.over or state.stopped_by is not None:
        return
    stuck = Stuck.of(job)
    revived = _blocked_behind(job)
    job.answers = (*job.answers, event.text)
    _start_again(turn, revived, stuck)


def _start_again(turn: Turn, revived: list[JobRun], stuck: Stuck | None = None) -> None:
    """The first of them, where it was `stuck`, from where it stopped."""
    state = turn.state
    for one in revived:
        _revive(turn, one)
    if stuck is not None:
        stuck.restore(revived[0])
    for one in revived:
        one.unmet = sum(1 for key in one.job.waits_for if state.jobs[key].status is None)
    for one in revived:
        _place_again(turn, one)
    admit(turn)


def _blocked_behind(job: JobRun) -> list[JobRun]:
    found = {job.key: job}
    pending = [job]
    for one in pending:  # grows while it is walked
        behind = [other for other in one.dependents if other.blocked_by == one.key and other.key not in found]
        found.update((other.key, other) for other in behind)
        pending.extend(behind)
    return pending


def _revive(turn: Turn, job: JobRun) -> None:
    for follower in job.dependents:
        if follower.state is JobState.WAITING and follower.may_follow(job):
            follower.unmet += 1  # its end was counted, and will be again
    job.forget()
    job.ending = None
    job.blocked_by = None
    job.move(JobState.WAITING)
    turn.state.remaining += 1
    if handoff := turn.state.handoffs.get(job.key.repo):
        handoff.reopen()


def _place_again(turn: Turn, job: JobRun) -> None:
    """Only once all are revived and counted: those it waits for may be among them, and end again at once."""
    if job.state is not JobState.WAITING:
        return  # parked again, by one placed before it
    needs = [turn.state.jobs[key] for key in job.job.waits_for]
    blocker = next((need for need in needs if need.status is not None and not job.may_follow(need)), None)
    if blocker is not None:
        job.blocked_by = blocker.key
        end_now(turn, job, unmet(blocker.key))
        return
    if not job.unmet:
        make_ready(turn, job)
