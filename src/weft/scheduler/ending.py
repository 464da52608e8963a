"""How jobs end, and what that means for the others."""

from __future__ import annotations

from collections.abc import Callable

from weft.model.budget import Shortage
from weft.model.commands import CloseWorkspace, Keep, ReleaseLock, StopAttempt, StopPreparing
from weft.model.events import JobEnded, RunEnded
from weft.model.job import JobStatus
from weft.model.plan import LockRule, Mode, StopRule
from weft.scheduler.jobrun import NO_OUTPUTS, Ending, JobRun
from weft.scheduler.merge_queue import ItemState
from weft.scheduler.slots import make_ready, release_lane, release_slot
from weft.scheduler.states import HOLDS_LANE, JobState
from weft.scheduler.turn import Turn

ANSWERABLE = frozenset({JobStatus.PARKED, JobStatus.FAILED})

_STOPS = {
    StopRule.CONTINUE: frozenset[JobStatus](),
    StopRule.STOP: frozenset({JobStatus.FAILED, JobStatus.PARKED, JobStatus.NO_CHANGE, JobStatus.CANCELLED}),
    StopRule.CHAIN: frozenset(
        {JobStatus.FAILED, JobStatus.PARKED, JobStatus.NO_CHANGE, JobStatus.CANCELLED, JobStatus.LOCKED}
    ),
    StopRule.FAIL_FAST: frozenset({JobStatus.FAILED, JobStatus.NO_CHANGE}),
}


def finish(turn: Turn, job: JobRun, ending: Ending) -> None:
    """Put its workspace away, where it has one; then it has ended."""
    job.ending = ending
    if not job.has_workspace:
        end_now(turn, job, ending)
        return
    job.move(JobState.CLOSING)
    order_close(turn, job, ending)


def order_close(turn: Turn, job: JobRun, ending: Ending) -> None:
    turn.order(CloseWorkspace(job.key, Keep.REMOVE_IF_CLEAN if _succeeded(turn, ending) else Keep.KEEP))


def _succeeded(turn: Turn, ending: Ending) -> bool:
    """In maintenance of projects finding nothing to do is a success: nobody looks at such a workspace."""
    mode = turn.state.plan.mode if turn.state.plan is not None else None
    return ending.status is JobStatus.PASSED or (ending.status is JobStatus.NO_CHANGE and mode is Mode.PROJECTS)


def end_now(turn: Turn, job: JobRun, ending: Ending) -> None:
    """It is over: note it, free what it held, tell the others."""
    _record(turn, job, ending)
    if not ending.status.done:
        _apply_stop_rule(turn, job)
    _tell_dependents(turn, job)
    end_run_if_done(turn)


def may_be_answered(job: JobRun, ending: Ending) -> bool:
    """Whether an answer may bring it back to a later phase than its first, which needs what those before it said."""
    return ending.status in ANSWERABLE and job.phase_index > 0


def unmet(dependency: object) -> Ending:
    return Ending(JobStatus.PARKED, f"unmet dependency {dependency}")


def locked(holder: str) -> Ending:
    return Ending(JobStatus.LOCKED, f"locked by {holder}")


def _record(turn: Turn, job: JobRun, ending: Ending) -> None:
    job.ending = ending
    if job.awaits_lock:
        job.awaits_lock = False
        turn.state.awaited_locks -= 1
    held_lane = job.state in HOLDS_LANE
    job.move(JobState.ENDED)
    release_slot(turn, job)
    if held_lane:
        release_lane(turn, job)
    turn.state.remaining -= 1
    if handoff := turn.state.handoffs.get(job.key.repo):
        handoff.left -= 1
    job.attempt = None
    if not may_be_answered(job, ending):
        job.outputs = NO_OUTPUTS
    job.findings = ()
    if turn.state.plan is not None and turn.state.plan.lock is not LockRule.NONE:
        turn.order(ReleaseLock(job.key))
    turn.note(
        JobEnded(
            at=turn.at,
            job=job.key,
            status=ending.status,
            reason=ending.reason,
            detail=ending.detail,
            branch=job.job.branch,
            commit=job.head or (job.passed.commit if job.passed else None),
            landed=job.landed,
            short_of=ending.short_of,
            blocked_by=job.blocked_by,
            pull_request=job.pull_request,
            unpublished=job.passed is not None and job.pull_request is None,
            passed_in=job.passed.run if job.passed and job.passed.run != turn.state.run else None,
        )
    )


def _tell_dependents(turn: Turn, job: JobRun) -> None:
    """Wake those that waited for it, or park them and all behind them: without recursion, chains may be long."""
    pending = [job]
    while pending:
        ended = pending.pop()
        for dependent in ended.dependents:
            if dependent.state is not JobState.WAITING:
                continue
            if dependent.may_follow(ended):
                dependent.unmet -= 1
                if not dependent.unmet:
                    make_ready(turn, dependent)
            else:
                dependent.blocked_by = ended.key
                _record(turn, dependent, _blocked(ended))
                pending.append(dependent)


def _blocked(ended: JobRun) -> Ending:
    """What ended for want of a budget has not failed, and neither have those that depend on it."""
    short_of = ended.ending.short_of if ended.ending is not None else None
    if short_of is None:
        return unmet(ended.key)
    return Ending(JobStatus.NOT_RUN, short_of.value, f"it depends on {ended.key}, which ended for want of it", short_of)


def _apply_stop_rule(turn: Turn, job: JobRun) -> None:
    state = turn.state
    assert state.plan is not None
    assert job.ending is not None
    rule = state.plan.stop
    if state.halted is not None or not _stops(rule, job.ending):
        return
    halt(turn, f"stopped after {job.key} {_verb(job.ending.status)}", job.ending.short_of)
    if rule is StopRule.FAIL_FAST:
        stop_in_flight(turn, "stopped at the first failure")


def _stops(rule: StopRule, ending: Ending) -> bool:
    """One after the other, a job that no budget was left for stops those behind it like any that ended badly."""
    short = ending.short_of is not None and rule in (StopRule.STOP, StopRule.CHAIN)
    return short or ending.status in _STOPS[rule]


def halt(turn: Turn, reason: str, short_of: Shortage | None = None) -> None:
    """Nothing new starts; what never started is not run."""
    turn.state.halted = reason
    ending = Ending(JobStatus.NOT_RUN, reason)
    if short_of is not None:
        ending = Ending(JobStatus.NOT_RUN, short_of.value, reason, short_of)
    for job in turn.state.jobs.values():
        if job.state in (JobState.WAITING, JobState.READY):
            _record(turn, job, ending)


def stop_in_flight(turn: Turn, reason: str) -> None:
    for job in turn.state.jobs.values():
        stop_job(turn, job, Ending(JobStatus.CANCELLED, reason))


def stop_job(turn: Turn, job: JobRun, ending: Ending) -> None:
    """End it as soon as may be, whatever it is doing."""
    _STOPPERS[job.state](turn, job, ending)


def _stop_before_start(turn: Turn, job: JobRun, ending: Ending) -> None:
    end_now(turn, job, ending)


def _stop_preparing(turn: Turn, job: JobRun, ending: Ending) -> None:
    if job.ending is None:
        job.ending = ending
        turn.order(StopPreparing(job.key))


def _stop_attempt(turn: Turn, job: JobRun, ending: Ending) -> None:
    job.ending = job.ending or ending
    if job.attempt is not None and not job.stop_sent:
        job.stop_sent = True
        turn.order(StopAttempt(job.attempt))


def _stop_idle(turn: Turn, job: JobRun, ending: Ending) -> None:
    finish(turn, job, ending)


def _stop_queued(turn: Turn, job: JobRun, ending: Ending) -> None:
    """What is landing has as good as landed."""
    assert job.item is not None
    if job.item.state is not ItemState.LANDING:
        queue = turn.state.queues[job.key.repo]
        queue.remove(turn, job.item)
        turn.state.unsettled[queue.repo] = queue
        finish(turn, job, ending)


def _stop_nothing(turn: Turn, job: JobRun, ending: Ending) -> None:
    """It is ending or has ended."""


_STOPPERS: dict[JobState, Callable[[Turn, JobRun, Ending], None]] = {
    JobState.WAITING: _stop_before_start,
    JobState.READY: _stop_before_start,
    JobState.PREPARING: _stop_preparing,
    JobState.GATES: _stop_attempt,
    JobState.SESSION: _stop_attempt,
    JobState.AGENT_FULL: _stop_idle,
    JobState.BUDGET: _stop_idle,
    JobState.BACKOFF: _stop_idle,
    JobState.RETURNING: _stop_idle,
    JobState.QUEUED: _stop_queued,
    JobState.PUBLISHING: _stop_attempt,
    JobState.CLOSING: _stop_nothing,
    JobState.ENDED: _stop_nothing,
}


def end_run_if_done(turn: Turn) -> None:
    state = turn.state
    if state.remaining == 0 and not state.over and not state.handing_off:
        state.over = True
        turn.note(RunEnded(at=turn.at, stopped_by=state.stopped_by))


def _verb(status: JobStatus) -> str:
    match status:
        case JobStatus.NO_CHANGE:
            return "changed nothing"
        case JobStatus.PARKED | JobStatus.CANCELLED | JobStatus.LOCKED:
            return f"was {status.value}"
        case JobStatus.NOT_RUN:
            return "was not run"
        case _:
            return str(status.value)
