"""What front ends show of a merge queue."""

from __future__ import annotations

from enum import Enum

import msgspec

from weft.model.ids import JobKey

MERGE = "merge"
"""The phase under which builds are shown."""


class MergeStand(Enum):
    """How far a job in the merge queue has come, as far as events tell; `weft queue list` knows it to the letter."""

    WAITING = "waiting"
    TESTING = "testing"
    GREEN = "green"
    REFUSED = "refused"


class FlakyGate(msgspec.Struct, frozen=True):
    """A gate that failed and then passed on the same tree."""

    gate: str
    job: JobKey
    """For whose branch it ran."""


class QueueView(msgspec.Struct):
    """The merge queue of one repo."""

    repo: str
    target: str
    base: str = ""
    """The commit that the target was, or is to be, made from."""
    repairs: int = 0
    """How often a branch goes back to its author, at most."""
    items: list[JobKey] = []
    """Those that have not landed, in the order in which they are to."""
    held: bool = False
    stuck: str | None = None
    """Why nothing can land: the target is red, or cannot be moved."""
    landing: JobKey | None = None
    """Which the target is being moved to: nothing calls that back."""
    landed: int = 0

    @property
    def standing(self) -> str | None:
        """Why nothing lands, in one sentence; None where it does."""
        return self.stuck or ("held by a person" if self.held else None)
