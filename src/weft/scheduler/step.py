"""The scheduler's one entry: an event in, commands out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from weft.errors import DefectError
from weft.model.commands import Command
from weft.model.events import (
    AnswerGiven,
    AttemptStarted,
    CancelRequested,
    CapSet,
    GatesEnded,
    GovernorCapSet,
    HandoffEnded,
    Input,
    LandingEnded,
    LockRefused,
    LockTaken,
    MachineRead,
    MergeGated,
    MergeMade,
    PauseSet,
    PublishEnded,
    QueueHoldSet,
    QueueRemoveRequested,
    QuotaSeen,
    RetryRequested,
    RunResumed,
    RunStarted,
    SessionEnded,
    StopRequested,
    TargetGated,
    TargetRead,
    TimerFired,
    TrackerWaits,
    UsageRead,
    UsageSeen,
    WorkspaceClosed,
    WorkspaceFailed,
    WorkspaceReady,
)
from weft.model.ids import RunId
from weft.scheduler.handoffs import handoff_ended, look_at_handoffs
from weft.scheduler.loading import start_run
from weft.scheduler.locking import lock_refused, lock_taken
from weft.scheduler.merging import (
    landing_ended,
    merge_gated,
    merge_made,
    settle,
    target_gated,
    target_read,
)
from weft.scheduler.progress import (
    gates_ended,
    session_ended,
    timer_fired,
    workspace_closed,
    workspace_failed,
    workspace_ready,
)
from weft.scheduler.publishing import publish_ended, tracker_waits
from weft.scheduler.queue_holds import remove_from_queue, set_hold
from weft.scheduler.quota import quota_seen
from weft.scheduler.requests import answer, cancel, retry, set_cap, set_governor_cap, set_pause, stop, take_reading
from weft.scheduler.resume import resume
from weft.scheduler.spending import usage_seen
from weft.scheduler.state import State
from weft.scheduler.turn import Turn


def _attempt_started(turn: Turn, event: AttemptStarted) -> None:
    """Written for those who show it; the scheduler ordered it and knows."""


HANDLERS: dict[type[Input], Callable[[Turn, Any], None]] = {
    RunStarted: start_run,
    RunResumed: resume,
    CapSet: set_cap,
    GovernorCapSet: set_governor_cap,
    UsageRead: take_reading,
    MachineRead: take_reading,
    PauseSet: set_pause,
    CancelRequested: cancel,
    RetryRequested: retry,
    AnswerGiven: answer,
    StopRequested: stop,
    LockTaken: lock_taken,
    LockRefused: lock_refused,
    WorkspaceReady: workspace_ready,
    WorkspaceFailed: workspace_failed,
    AttemptStarted: _attempt_started,
    GatesEnded: gates_ended,
    SessionEnded: session_ended,
    WorkspaceClosed: workspace_closed,
    QuotaSeen: quota_seen,
    QueueHoldSet: set_hold,
    QueueRemoveRequested: remove_from_queue,
    TargetRead: target_read,
    MergeMade: merge_made,
    MergeGated: merge_gated,
    TargetGated: target_gated,
    LandingEnded: landing_ended,
    PublishEnded: publish_ended,
    HandoffEnded: handoff_ended,
    TrackerWaits: tracker_waits,
    UsageSeen: usage_seen,
    TimerFired: timer_fired,
}


def step(state: State, event: Input) -> list[Command]:
    """Change the state by what happened; answer what is to be done about it."""
    turn = Turn(state, event.at)
    try:
        handler = HANDLERS[type(event)]
    except KeyError:
        raise DefectError(f"the scheduler cannot step on a {type(event).__name__}") from None
    handler(turn, event)
    if state.queues:
        settle(turn)
    if state.handoffs:
        look_at_handoffs(turn)
    return turn.commands


def replay(run: RunId, events: Iterable[Input]) -> tuple[State, list[Command]]:
    """The state that these events lead to, and every command they gave on the way."""
    state = State(run)
    commands: list[Command] = []
    for event in events:
        commands.extend(step(state, event))
    return state, commands
