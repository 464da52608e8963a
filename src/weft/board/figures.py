"""Rates, spreads and costs over many cases; what nobody knows is counted as unknown."""

from __future__ import annotations

import msgspec


class Rate(msgspec.Struct):
    succeeded: int = 0
    n: int = 0

    def count(self, success: bool) -> None:
        self.n += 1
        self.succeeded += success

    @property
    def value(self) -> float | None:
        return self.succeeded / self.n if self.n else None


class Spread(msgspec.Struct):
    """Durations of one kind."""

    seconds: list[float] = []

    @property
    def median(self) -> float | None:
        return median(self.seconds) if self.seconds else None

    @property
    def p90(self) -> float | None:
        """The smallest that nine tenths do not exceed."""
        ordered = sorted(self.seconds)
        return ordered[-(-len(ordered) * 9 // 10) - 1] if ordered else None


class Cost(msgspec.Struct):
    """`usd` sums the jobs whose cost is known; the others are counted, never taken for nothing."""

    usd: float = 0.0
    known: int = 0
    unknown: int = 0

    def count(self, usd: float | None) -> None:
        if usd is None:
            self.unknown += 1
        else:
            self.known += 1
            self.usd += usd


def median(values: list[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
