"""One line of the table: what was done, what it cost, what was asked for."""

from __future__ import annotations

from enum import Enum

import msgspec


class Bound(Enum):
    AT_MOST = "≤"
    AT_LEAST = "≥"


class Row(msgspec.Struct, frozen=True):
    number: int
    """Of the requirement: 3 for PERF-3."""
    work: str
    measured: str
    """In the units a reader would use, with what it is compared with."""
    ratio: float | None = None
    """None: could not be measured; `measured` says why."""
    bound: Bound = Bound.AT_MOST
    required: float | None = None
    """None: nothing is asked for; the row is there to compare with."""
    unit: str = "×"

    @property
    def met(self) -> bool | None:
        if self.ratio is None or self.required is None:
            return None
        return self.ratio <= self.required if self.bound is Bound.AT_MOST else self.ratio >= self.required
