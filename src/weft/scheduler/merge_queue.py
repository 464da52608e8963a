"""The merge queue of one repo: who stands in it, on top of whom each is built, how far it looks ahead.

The first `window` items form a chain: each is merged onto the one before it and gated at the same time, on the
assumption that those before it land. One that is refused steps out of the chain at once, so that those behind it are
built without it; whether it is to blame is known when everything it was built on has landed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from enum import Enum, auto

import msgspec

from weft.model.commands import StopAttempt
from weft.model.ids import AttemptId
from weft.model.plan import MergeInto
from weft.scheduler.jobrun import JobRun
from weft.scheduler.turn import Turn

PHASE = "merge"
"""The phase of attempts at merging."""
TARGET_PHASE = "target"
"""The phase of attempts at the target alone."""


class ItemState(Enum):
    WAITING = auto()
    """For its place in the window."""
    MERGING = auto()
    """Its branch is being merged onto those ahead."""
    TESTING = auto()
    """The gates run on the merged tree."""
    PASSED = auto()
    """Green; lands when those ahead have."""
    LANDING = auto()
    """The target is being moved to it."""
    REFUSED = auto()
    """It does not merge, or is red, on top of those ahead; when they have landed it goes back to its author."""
    CHECKING = auto()
    """It is red on the tip, and the tip was never seen green: the gates run on the target alone."""


_IN_CHAIN = frozenset({ItemState.MERGING, ItemState.TESTING, ItemState.PASSED, ItemState.LANDING})
_UNBUILT = frozenset({ItemState.WAITING, ItemState.LANDING})


class Trouble(msgspec.Struct, frozen=True, gc=False):
    """Why a branch was refused."""

    reason: str
    findings: tuple[str, ...]
    conflict: bool = False
    """Not to be blamed on a red target."""
    mendable: bool = True
    """Whether its author could do something about it."""


class MergeItem:
    """A job in the queue."""

    __slots__ = ("attempt", "commit", "job", "onto", "since", "state", "trouble")

    def __init__(self, job: JobRun, since: float) -> None:
        self.job = job
        self.since = since
        self.clear()

    def clear(self) -> None:
        """As if it had never been built; answers about an earlier build are no longer its own."""
        self.state = ItemState.WAITING
        self.attempt: AttemptId | None = None
        self.onto: str | None = None
        self.commit: str | None = None
        self.trouble: Trouble | None = None

    def snapshot(self) -> tuple[object, ...]:
        return (self.job.key, self.since, self.state, self.attempt, self.onto, self.commit, self.trouble)


class MergeQueue:
    """Mutable, and owned by one `State`; changed only by the scheduler."""

    __slots__ = ("held", "into", "items", "reading", "repo", "stuck", "tip", "tip_green", "window")

    def __init__(self, repo: str, into: MergeInto) -> None:
        self.repo = repo
        self.into = into
        self.items: deque[MergeItem] = deque()
        self.window = into.window
        self.tip: str | None = None
        """Where the target stands; None until it is read."""
        self.tip_green = False
        """Whether its gates were seen to pass."""
        self.reading = False
        self.held = False
        """By a person."""
        self.stuck: str | None = None
        """Why nothing can land: the target is red, or cannot be moved."""

    def add(self, job: JobRun, since: float) -> MergeItem:
        """First come first served among equals; nobody goes before one that is already being built."""
        item = MergeItem(job, since)
        later: list[MergeItem] = []
        while self.items and self._gives_way(self.items[-1], item):
            later.append(self.items.pop())
        self.items.append(item)
        self.items.extend(reversed(later))
        return item

    @staticmethod
    def _gives_way(before: MergeItem, item: MergeItem) -> bool:
        return before.state is ItemState.WAITING and before.job.job.priority < item.job.job.priority

    def place(self, item: MergeItem) -> int:
        return next(place for place, other in enumerate(self.items) if other is item)

    def chain(self) -> Iterator[MergeItem]:
        """Those that are built, in order."""
        return (item for item in self.items if item.state in _IN_CHAIN)

    def remove(self, turn: Turn, item: MergeItem) -> None:
        """Take it out; those behind it are built anew without it, unless it stood outside of the chain."""
        if item.state in _IN_CHAIN:
            self.rebuild_behind(turn, item)
        unbuild(turn, item)
        self.items.remove(item)
        item.job.item = None

    def rebuild_behind(self, turn: Turn, item: MergeItem) -> None:
        behind = False
        for other in self.items:
            if behind:
                unbuild(turn, other)
            behind = behind or other is item

    def rebuild_all(self, turn: Turn) -> None:
        for item in self.items:
            unbuild(turn, item)

    def snapshot(self) -> tuple[object, ...]:
        facts = (self.repo, self.into, self.window, self.tip, self.tip_green, self.reading, self.held, self.stuck)
        return (*facts, [item.snapshot() for item in self.items])


def unbuild(turn: Turn, item: MergeItem) -> None:
    """Its build no longer counts. What is landing cannot be called back."""
    if item.state in _UNBUILT:
        return
    if item.state in (ItemState.TESTING, ItemState.CHECKING) and item.attempt is not None:
        turn.order(StopAttempt(item.attempt))
    item.clear()
