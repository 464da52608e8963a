"""Going on with a run whose process died: resume or reset, job by job."""

from __future__ import annotations

from collections.abc import Callable

from weft.model.commands import WakeAt
from weft.model.events import RunResumed
from weft.scheduler.admission import admit
from weft.scheduler.attempts import prepare, session_command
from weft.scheduler.ending import order_close
from weft.scheduler.handoffs import resume_handoffs
from weft.scheduler.jobrun import JobRun
from weft.scheduler.locking import ask_again
from weft.scheduler.merging import resume_queue
from weft.scheduler.progress import free_session, go_on, lose_attempt
from weft.scheduler.publishing import publish_again
from weft.scheduler.quota import wake_again
from weft.scheduler.readings import apply_readings
from weft.scheduler.slots import order_workspace
from weft.scheduler.states import JobState
from weft.scheduler.turn import Turn


def resume(turn: Turn, event: RunResumed) -> None:
    finished = frozenset(event.finished)
    cut_short = {one.attempt: one.session_id for one in event.cut_short}
    turn.state.stopped_by = None
    apply_readings(turn, event.readings)
    for agent in turn.state.agents.values():
        agent.waiting.clear()  # they begin anew: a session that frees itself here must not start theirs
    if turn.state.ledger is not None:
        turn.state.ledger.waiting.clear()
    for job in list(turn.state.jobs.values()):
        if job.state is JobState.SESSION and job.attempt in finished:
            _take_up(turn, job)
        elif job.attempt in cut_short and _can_go_on(job):
            _go_on(turn, job, cut_short[job.attempt])
        elif handler := _HANDLERS.get(job.state):
            handler(turn, job)
        elif job.state is not JobState.QUEUED:
            ask_again(turn, job)
    for queue in turn.state.queues.values():
        resume_queue(turn, queue)
    resume_handoffs(turn)
    wake_again(turn)
    admit(turn)


def _take_up(turn: Turn, job: JobRun) -> None:
    """Its process had ended by itself: what it left is read, nothing is paid for twice."""
    turn.order(session_command(turn, job, first=False))


def _can_go_on(job: JobRun) -> bool:
    """Gates that come before the session would meet, and clear away, what it had begun."""
    return job.state is JobState.SESSION and job.step_index == 0 and job.ending is None


def _go_on(turn: Turn, job: JobRun, session_id: str) -> None:
    free_session(turn, job)
    go_on(turn, job, session_id)


def _lose_session(turn: Turn, job: JobRun) -> None:
    free_session(turn, job)
    lose_attempt(turn, job)


def _close_again(turn: Turn, job: JobRun) -> None:
    assert job.ending is not None
    order_close(turn, job, job.ending)


def _wake_again(turn: Turn, job: JobRun) -> None:
    assert job.due is not None
    turn.order(WakeAt(job.due))


_HANDLERS: dict[JobState, Callable[[Turn, JobRun], None]] = {
    JobState.PREPARING: order_workspace,
    JobState.GATES: lose_attempt,
    JobState.SESSION: _lose_session,
    JobState.AGENT_FULL: prepare,
    JobState.BUDGET: prepare,
    JobState.BACKOFF: _wake_again,
    JobState.PUBLISHING: publish_again,
    JobState.CLOSING: _close_again,
}
