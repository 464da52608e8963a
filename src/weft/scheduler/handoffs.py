"""At the end of a wave each repo's target becomes one pull request (WAVE-11): the run ends after its answer."""

from __future__ import annotations

from enum import Enum, auto

from weft.model.commands import HandOff, StopHandOff
from weft.model.events import HandoffEnded
from weft.scheduler.ending import end_run_if_done
from weft.scheduler.state import State
from weft.scheduler.turn import Turn


class HandoffState(Enum):
    WAITING = auto()
    """For the repo's jobs to end."""
    UNDER_WAY = auto()
    ENDED = auto()


class HandoffRun:
    """Of one repo. `left` counts its jobs that have not ended."""

    __slots__ = ("again", "left", "number", "repo", "state")

    def __init__(self, repo: str, left: int) -> None:
        self.repo = repo
        self.left = left
        self.number = 0
        """Of the last try."""
        self.state = HandoffState.WAITING
        self.again = False
        """Whether a job was tried again while it was under way: what that lands is to be handed over too."""

    def reopen(self) -> None:
        """A job of the repo is tried again."""
        self.left += 1
        if self.state is HandoffState.UNDER_WAY:
            self.again = True
        else:
            self.state = HandoffState.WAITING

    @property
    def pending(self) -> bool:
        return self.state is not HandoffState.ENDED

    def snapshot(self) -> tuple[object, ...]:
        return (self.repo, self.left, self.number, self.state, self.again)


def look_at_handoffs(turn: Turn) -> None:
    """At the end of every step: begin those whose time has come."""
    state = turn.state
    for handoff in state.handoffs.values():
        if handoff.state is HandoffState.WAITING and not handoff.left:
            _begin(turn, handoff, wanted=_wanted(state, handoff))
    end_run_if_done(turn)


def _begin(turn: Turn, handoff: HandoffRun, *, wanted: bool) -> None:
    if not wanted:
        handoff.state = HandoffState.ENDED
        return
    handoff.number += 1
    handoff.state = HandoffState.UNDER_WAY
    turn.order(HandOff(handoff.repo, handoff.number))


def _wanted(state: State, handoff: HandoffRun) -> bool:
    """Where something is on the target. An interrupted run hands nothing over: the next one does."""
    if state.stopped_by is not None:
        return False
    jobs = (job for job in state.jobs.values() if job.key.repo == handoff.repo)
    return any(job.status is not None and job.status.done for job in jobs)


def handoff_ended(turn: Turn, event: HandoffEnded) -> None:
    handoff = turn.state.handoffs.get(event.repo)
    if handoff is None or handoff.state is not HandoffState.UNDER_WAY or handoff.number != event.number:
        return
    handoff.state = HandoffState.WAITING if handoff.again else HandoffState.ENDED
    handoff.again = False


def stop_handoffs(turn: Turn) -> None:
    for handoff in turn.state.handoffs.values():
        if handoff.state is HandoffState.UNDER_WAY:
            turn.order(StopHandOff(handoff.repo, handoff.number))


def resume_handoffs(turn: Turn) -> None:
    """After a crash: what was done of it is found there."""
    for handoff in turn.state.handoffs.values():
        if handoff.state is HandoffState.UNDER_WAY:
            turn.order(HandOff(handoff.repo, handoff.number))
