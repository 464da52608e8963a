"""The merge queues as people ask about them (MERGE-6): read off the scheduler's own state."""

from __future__ import annotations

import msgspec

from weft.model.ids import JobKey
from weft.scheduler.merge_queue import ItemState, MergeItem, MergeQueue
from weft.scheduler.state import State

_STEPPED_OUT = frozenset({ItemState.REFUSED, ItemState.CHECKING})


class ListedItem(msgspec.Struct, frozen=True):
    key: JobKey
    state: ItemState
    stacked_on: JobKey | None
    """What it is, or is to be, built on top of; None: the target's tip."""
    since: float
    """When it came into the queue."""
    repairs: int = 0
    """How often it went back to its author before."""
    trouble: str | None = None
    """Why it was refused."""


class ListedQueue(msgspec.Struct, frozen=True):
    repo: str
    target: str
    window: int
    """How many are merged and tested at the same time, just now."""
    tip: str | None
    """None: not read yet."""
    held: bool
    """By a person."""
    stuck: str | None
    """Why nothing can land."""
    items: tuple[ListedItem, ...]
    """In the order in which they are to land."""


def listed_queues(state: State) -> tuple[ListedQueue, ...]:
    return tuple(map(_listed, state.queues.values()))


def _listed(queue: MergeQueue) -> ListedQueue:
    items: list[ListedItem] = []
    below: JobKey | None = None
    for item in queue.items:
        items.append(_item(item, below))
        if item.state not in _STEPPED_OUT:
            below = item.job.key
    return ListedQueue(queue.repo, queue.into.target, queue.window, queue.tip, queue.held, queue.stuck, tuple(items))


def _item(item: MergeItem, below: JobKey | None) -> ListedItem:
    trouble = item.trouble.reason if item.trouble else None
    return ListedItem(item.job.key, item.state, below, item.since, item.job.repairs, trouble)
