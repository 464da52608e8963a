"""Tells an agent that is stuck from one that works: no line, no changed file, no busy process for too long.

Looking costs little: nothing at all in a session that ends before the first look, then a tenth of the limit apart, and
the cheapest sign first.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from weft.execution.attended import EndedBy

Sign = Callable[[float], Awaitable[bool]]
"""Whether there was progress since this sign was last asked for; it is told how many seconds ago that was."""
LOOKS = 10
"""How many looks make up the limit."""
SHORTEST_PAUSE = 0.1


class StallWatch:
    """Watches one process."""

    by = EndedBy.STALL

    def __init__(self, limit: float, signs: Sequence[Sign], now: float) -> None:
        self._limit = limit
        self._pause = max(limit / LOOKS, SHORTEST_PAUSE)
        self._signs = [(sign, [now]) for sign in signs]
        self._looked = now
        self._still = 0.0
        self.due = now + self._pause

    async def over(self, now: float) -> bool:
        """Look: whether nothing has happened for the whole limit."""
        # A machine that slept, or a Weft that was stopped, saw nothing: that time does not count against the agent.
        seen = min(now - self._looked, 2 * self._pause)
        self._looked = now
        self.due = now + self._pause
        self._still = 0.0 if await self._progress(now) else self._still + seen
        return self._still >= self._limit

    async def _progress(self, now: float) -> bool:
        """The first sign that shows it is enough; the others are then not asked."""
        for sign, asked in self._signs:
            since, asked[0] = now - asked[0], now
            if await sign(since):
                return True
        return False
