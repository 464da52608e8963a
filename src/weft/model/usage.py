"""What sessions cost. A cost nobody told is unknown (`None`), never zero."""

from __future__ import annotations

import msgspec


class Usage(msgspec.Struct, frozen=True):
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = None
    sessions: int = 0

    @property
    def tokens(self) -> int:
        """Those that budgets count: sent to the model and written by it, without what it had cached."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        """Sum; the cost stays unknown as soon as a session with an unknown cost is part of it."""
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            _add_cost(self, other),
            self.sessions + other.sessions,
        )


def _add_cost(a: Usage, b: Usage) -> float | None:
    if a == NO_USAGE:
        return b.cost_usd
    if b == NO_USAGE:
        return a.cost_usd
    if a.cost_usd is None or b.cost_usd is None:
        return None
    return round(a.cost_usd + b.cost_usd, 9)


NO_USAGE = Usage()
