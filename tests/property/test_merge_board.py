"""The board beside the merge queue, under everything that can happen to it: both must see the same."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.property.merge_world import RUN, MergeWorld
from tests.property.test_merge_queue import run_to_the_end, worlds

from weft.board.board import Board
from weft.board.queue_view import MergeStand
from weft.board.views import RunView
from weft.model.commands import WriteNote
from weft.scheduler.merge_queue import ItemState, MergeItem, MergeQueue
from weft.scheduler.state import State
from weft.scheduler.states import JobState
from weft.scheduler.step import step

STANDS = {
    ItemState.TESTING: MergeStand.TESTING,
    ItemState.PASSED: MergeStand.GREEN,
    ItemState.REFUSED: MergeStand.REFUSED,
    ItemState.CHECKING: MergeStand.REFUSED,
}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(world=worlds(), draw=st.data())
def test_the_board_agrees_with_the_queue(world: MergeWorld, draw: st.DataObject) -> None:
    """MERGE-6: places, states, holds, landings and repairs as shown are the scheduler's own, after every event."""
    run_to_the_end(world, draw)
    state, board = State(RUN), Board(RUN)
    for event in world.inputs:
        notes = [command.note for command in step(state, event) if isinstance(command, WriteNote)]
        for written in (event, *notes):
            board.apply(written)
        for queue in state.queues.values():
            _same(state, queue, board.view)
        _same_jobs(state, board.view)


def _same(state: State, queue: MergeQueue, view: RunView) -> None:
    """But for one that is landing, which no event tells, and those that are parked and being put away."""
    shown = view.queues[queue.repo]
    assert (shown.held, shown.stuck) == (queue.held, queue.stuck)
    settled = [item for item in queue.items if item.state is not ItemState.LANDING]
    unsure = {key for key, job in state.jobs.items() if job.state is JobState.CLOSING}
    unsure |= {item.job.key for item in queue.items if item.state is ItemState.LANDING}
    assert [key for key in shown.items if key not in unsure] == [item.job.key for item in settled]
    for item in settled:
        assert view.jobs[item.job.key].stand in _stands(item)


def _stands(item: MergeItem) -> set[MergeStand]:
    """A build that was taken back before it was made is told when it is made: until the next it counts as one."""
    unbuilt = item.state in (ItemState.WAITING, ItemState.MERGING)
    return {MergeStand.WAITING, MergeStand.TESTING, MergeStand.REFUSED} if unbuilt else {STANDS[item.state]}


def _same_jobs(state: State, view: RunView) -> None:
    for key, job in state.jobs.items():
        shown = view.jobs[key]
        assert shown.status is job.status
        assert shown.landed == job.landed
        assert shown.repairs == job.repairs
        assert shown.queued or job.item is None
