"""How a lock stands."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from weft.locks.holder import Holder


class Condition(Enum):
    FREE = "free"
    HELD = "held"
    STALE = "stale"
    """There, but its holder is gone: the next one takes it over."""


class LockState(NamedTuple):
    name: str
    condition: Condition
    path: str
    """Of the lock file; where it is free, of the one that would be made."""
    holder: Holder | None = None
    """None where it is free, or held by one who cannot be known."""
    since: float | None = None
    """When it was taken, as far as can be known."""
    age: float | None = None
    """Seconds since then."""
    stale_reason: str | None = None

    @property
    def held(self) -> bool:
        return self.condition is Condition.HELD
