"""When a merge queue stands still: a person holds it, its target is red, or nothing can land there."""

from __future__ import annotations

from weft.model.events import QueueHoldSet, QueueRemoveRequested
from weft.model.job import JobStatus
from weft.scheduler.admission import admit
from weft.scheduler.ending import end_now, finish, stop_job
from weft.scheduler.jobrun import Ending
from weft.scheduler.merge_queue import MergeQueue
from weft.scheduler.states import JobState
from weft.scheduler.turn import Turn

_MOVES_BY_ITSELF = (JobState.CLOSING, JobState.PUBLISHING)
_NOT_STARTED = (JobState.READY, JobState.WAITING)


def touch(turn: Turn, queue: MergeQueue) -> None:
    """Something about it changed: `settle` looks at it at the end of the step."""
    turn.state.unsettled[queue.repo] = queue


def get_stuck(turn: Turn, queue: MergeQueue, why: str) -> None:
    queue.rebuild_all(turn)
    queue.stuck = why


def park_stuck(turn: Turn) -> None:
    """Nothing else is left that could go on: those that wait for a queue that cannot land need a person."""
    state = turn.state
    if state.in_flight or state.over:
        return
    stuck = [(queue, queue.stuck) for queue in state.queues.values() if queue.stuck is not None]
    if not stuck or state.effective_cap == 0 or state.timers or state.awaited_locks or _another_moves(turn):
        return
    for queue, why in stuck:
        _park_all(turn, queue, Ending(JobStatus.PARKED, why))
    admit(turn)


def _another_moves(turn: Turn) -> bool:
    state = turn.state
    moving = any(queue.items and queue.stuck is None for queue in state.queues.values())
    return moving or any(job.state in _MOVES_BY_ITSELF for job in state.jobs.values())


def _park_all(turn: Turn, queue: MergeQueue, ending: Ending) -> None:
    """Also those of the repo that have not started: what they made could not land either."""
    for item in list(queue.items):
        queue.remove(turn, item)
        finish(turn, item.job, ending)
    for job in turn.state.jobs.values():
        if job.key.repo == queue.repo and job.state in _NOT_STARTED:
            end_now(turn, job, ending)


def set_hold(turn: Turn, event: QueueHoldSet) -> None:
    """Released, a queue looks at its target anew: it may have been mended meanwhile."""
    queue = turn.state.queues.get(event.repo)
    if queue is None:
        return
    queue.held = event.held
    if not event.held and queue.stuck is not None:
        queue.stuck = None
        queue.tip = None
    touch(turn, queue)


def remove_from_queue(turn: Turn, event: QueueRemoveRequested) -> None:
    job = turn.state.jobs.get(event.job)
    if job is not None and job.state is JobState.QUEUED:
        stop_job(turn, job, Ending(JobStatus.PARKED, "removed from the merge queue"))
