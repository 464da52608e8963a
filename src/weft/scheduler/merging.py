"""Branches land one at a time, each on a tree that is green: what the queue does about its events."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from weft.model.commands import GateMerge, GateTarget, Land, MakeMerge, ReadTarget
from weft.model.events import (
    JobQueued,
    LandingEnded,
    MergeGated,
    MergeMade,
    TargetGated,
    TargetRead,
    TargetRed,
)
from weft.model.ids import AttemptId
from weft.model.outcome import Failure, GateResult
from weft.model.phase import FailureClass
from weft.scheduler.admission import admit
from weft.scheduler.ending import finish
from weft.scheduler.findings import finding, gates_reason
from weft.scheduler.jobrun import PASSED, JobRun
from weft.scheduler.locking import ask_again
from weft.scheduler.merge_queue import PHASE, TARGET_PHASE, ItemState, MergeItem, MergeQueue, Trouble
from weft.scheduler.queue_holds import get_stuck, park_stuck, touch
from weft.scheduler.repairs import send_back
from weft.scheduler.slots import release_slot
from weft.scheduler.states import JobState
from weft.scheduler.turn import Turn


def enqueue(turn: Turn, job: JobRun, queue: MergeQueue) -> None:
    """It passed: it gives up its slot and keeps its lane until it has landed or is parked."""
    job.move(JobState.QUEUED)
    release_slot(turn, job)
    job.attempt = None
    job.item = queue.add(job, turn.at)
    turn.note(JobQueued(at=turn.at, job=job.key, target=queue.into.target, ahead=queue.place(job.item)))
    touch(turn, queue)


def queue_of(turn: Turn, job: JobRun) -> MergeQueue | None:
    """Where it is to land; None where branches are left to the user, or it has none."""
    return turn.state.queues.get(job.key.repo) if job.job.branch is not None else None


def settle(turn: Turn) -> None:
    """What follows for the queues that this step touched. Each round brings one of them nearer to rest."""
    state = turn.state
    if state.unsettled:
        while state.unsettled:
            _, queue = state.unsettled.popitem()
            _settle_queue(turn, queue)
        admit(turn)
    park_stuck(turn)


def _settle_queue(turn: Turn, queue: MergeQueue) -> None:
    if queue.held or queue.stuck or not queue.items or turn.state.stopped_by is not None:
        return
    if queue.tip is None:
        _read_target(turn, queue)
        return
    _judge_first(turn, queue)
    _land_first(turn, queue)
    _fill_window(turn, queue)


def _read_target(turn: Turn, queue: MergeQueue) -> None:
    """Not while something lands: its answer says where the target is, and a look now might be older."""
    if not queue.reading and queue.items[0].state is not ItemState.LANDING:
        queue.reading = True
        turn.order(ReadTarget(queue.repo))


def _judge_first(turn: Turn, queue: MergeQueue) -> None:
    """Everything that the first one was built on has landed: if it is refused now, that is its own doing."""
    while queue.items and queue.items[0].state is ItemState.REFUSED:
        first = queue.items[0]
        assert first.trouble is not None
        if first.trouble.conflict or queue.tip_green:
            _send_back(turn, queue, first)
        else:
            _check_target(turn, queue, first)


def _check_target(turn: Turn, queue: MergeQueue, item: MergeItem) -> None:
    assert queue.tip is not None
    item.state = ItemState.CHECKING
    item.attempt = _next_attempt(turn, item.job, TARGET_PHASE)
    turn.order(GateTarget(item.attempt, queue.tip))


def _send_back(turn: Turn, queue: MergeQueue, item: MergeItem) -> None:
    trouble, onto = item.trouble, item.onto
    assert trouble is not None
    queue.remove(turn, item)
    send_back(turn, item.job, queue.into, trouble, onto)


def _land_first(turn: Turn, queue: MergeQueue) -> None:
    if not queue.items or queue.items[0].state is not ItemState.PASSED:
        return
    first = queue.items[0]
    assert first.attempt is not None
    assert first.commit is not None
    assert queue.tip is not None
    first.state = ItemState.LANDING
    turn.order(Land(first.attempt, first.commit, queue.tip))


def _fill_window(turn: Turn, queue: MergeQueue) -> None:
    """Build the next one on top of the last; the one after it when this one's commit is known."""
    onto, built = queue.tip, 0
    for item in queue.items:
        if built == queue.window or item.state is ItemState.MERGING:
            return
        if item.state in (ItemState.REFUSED, ItemState.CHECKING):
            continue
        if item.state is ItemState.WAITING:
            assert onto is not None
            _build(turn, item, onto)
            return
        onto, built = item.commit, built + 1


def _build(turn: Turn, item: MergeItem, onto: str) -> None:
    assert item.job.head is not None
    item.state = ItemState.MERGING
    item.onto = onto
    item.attempt = _next_attempt(turn, item.job, PHASE)
    turn.order(MakeMerge(item.attempt, item.job.head, onto))


def _next_attempt(turn: Turn, job: JobRun, phase: str) -> AttemptId:
    job.builds += 1
    return AttemptId(turn.state.run, job.key, phase, job.builds)


# ---------------------------------------------------------------- answers


def target_read(turn: Turn, event: TargetRead) -> None:
    queue = turn.state.queues.get(event.repo)
    if queue is None or not queue.reading:
        return
    queue.reading = False
    if event.problem is not None:
        get_stuck(turn, queue, event.problem)
    elif queue.tip is None:
        queue.tip, queue.tip_green = event.tip, False
    touch(turn, queue)


def merge_made(turn: Turn, event: MergeMade) -> None:
    found = _item(turn, event.attempt, ItemState.MERGING)
    if found is None:
        return
    queue, item = found
    if event.commit is None:
        _refuse(turn, queue, item, _no_merge(queue, event))
        return
    item.commit = event.commit
    item.state = ItemState.TESTING
    turn.order(GateMerge(event.attempt, event.commit))
    touch(turn, queue)


def merge_gated(turn: Turn, event: MergeGated) -> None:
    found = _item(turn, event.attempt, ItemState.TESTING)
    if found is None:
        return
    queue, item = found
    if _was_lost(event.failure, item.job):
        assert item.commit is not None
        item.attempt = _next_attempt(turn, item.job, PHASE)
        turn.order(GateMerge(item.attempt, item.commit))
    elif red := _redness(event.results, event.failure):
        reason = f"{red[0]} when merged into {queue.into.target}"
        _refuse(turn, queue, item, Trouble(reason, red[1]))
    else:
        item.state = ItemState.PASSED
        touch(turn, queue)


def target_gated(turn: Turn, event: TargetGated) -> None:
    found = _item(turn, event.attempt, ItemState.CHECKING)
    if found is None:
        return
    queue, item = found
    if _was_lost(event.failure, item.job):
        item.state = ItemState.REFUSED
    elif red := _redness(event.results, event.failure):
        target = queue.into.target
        item.clear()  # nobody is blamed
        turn.note(TargetRed(at=turn.at, repo=queue.repo, target=target, commit=event.commit, reason=red[0]))
        get_stuck(turn, queue, f"target is red: {red[0]} on {target} itself, at {event.commit[:12]}")
    else:
        queue.tip_green = True
        item.state = ItemState.REFUSED  # and so judged
    touch(turn, queue)


def landing_ended(turn: Turn, event: LandingEnded) -> None:
    found = _item(turn, event.attempt, ItemState.LANDING)
    if found is None:
        return
    queue, item = found
    if event.landed:
        _landed(turn, queue, item, event)
    else:
        item.state = ItemState.PASSED
        queue.rebuild_all(turn)
        queue.tip, queue.tip_green = event.tip, False
        if event.problem is not None:
            get_stuck(turn, queue, event.problem)
    touch(turn, queue)


def _landed(turn: Turn, queue: MergeQueue, item: MergeItem, event: LandingEnded) -> None:
    queue.items.popleft()
    item.job.item = None
    item.job.landed = event.commit
    queue.window = min(queue.into.window, queue.window + 1)
    queue.tip, queue.tip_green = event.commit, True
    if event.tip is not None and event.tip != event.commit:  # another landed on top of it
        queue.tip, queue.tip_green = event.tip, False
        queue.rebuild_all(turn)
    finish(turn, item.job, msgspec.structs.replace(PASSED, detail=event.problem))


def _item(turn: Turn, attempt: AttemptId, state: ItemState) -> tuple[MergeQueue, MergeItem] | None:
    """What the answer is about; None where that was overtaken by something else."""
    job = turn.state.job(attempt.job)
    item = job.item
    if item is None or item.attempt != attempt or item.state is not state:
        return None
    return turn.state.queues[job.key.repo], item


def _refuse(turn: Turn, queue: MergeQueue, item: MergeItem, trouble: Trouble) -> None:
    queue.rebuild_behind(turn, item)
    item.state = ItemState.REFUSED
    item.trouble = trouble
    queue.window = max(1, queue.window // 2)
    touch(turn, queue)


def _no_merge(queue: MergeQueue, event: MergeMade) -> Trouble:
    target = queue.into.target
    if not event.conflicts:
        said = event.problem or "git did not say why"
        return Trouble(f"cannot be merged into {target}", (said,), conflict=True, mendable=False)
    files = ", ".join(event.conflicts)
    told = f"Merging {target} into this branch conflicts in: {files}."
    return Trouble(f"conflict with {target} in {files}", (told,), conflict=True)


def _redness(results: Sequence[GateResult], failure: Failure | None) -> tuple[str, tuple[str, ...]] | None:
    """What is red, in short and in full; None where nothing is."""
    if failure is not None:
        said = f"gates could not be run: {failure.message}"
        return said, (said,)
    failed = [result for result in results if not result.passed]
    return (gates_reason(failed), tuple(map(finding, failed))) if failed else None


def _was_lost(failure: Failure | None, job: JobRun) -> bool:
    """Whether the process that ran the gates was, through no fault of anyone: then they run again."""
    return failure is not None and failure.kind is FailureClass.LOST and job.may_be_lost_again()


def resume_queue(turn: Turn, queue: MergeQueue) -> None:
    """After a crash: what was landing has landed or lands now; everything else is built and gated again."""
    queue.reading = False
    queue.tip = None
    for item in queue.items:
        ask_again(turn, item.job)
        if item.state is not ItemState.LANDING:
            item.clear()  # what worked on it is dead
            continue
        assert item.attempt is not None
        assert item.commit is not None
        assert item.onto is not None
        turn.order(Land(item.attempt, item.commit, item.onto))
    touch(turn, queue)
