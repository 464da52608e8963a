"""When a long session is asked to end (RECOVER-7): its time is up, and it is between two things rather than in one."""

from __future__ import annotations

from collections.abc import Sequence

from weft.execution.attended import EndedBy
from weft.execution.stall import Sign

PATIENCE = 60.0
"""Seconds that a calm moment is waited for at most."""
PAUSE = 1.0


class Checkpoint:
    """No agent CLI says when it can be ended without harm. What can be seen is a second in which no process of the
    session is busy and no file changes: it waits for its model, and nothing is half written.
    """

    by = EndedBy.CHECKPOINT

    def __init__(self, after: float, timeout: float, signs: Sequence[Sign], now: float) -> None:
        self._signs = signs
        self._began: float | None = None
        self._latest = min(now + after + PATIENCE, now + timeout)
        self.due = now + after

    async def over(self, now: float) -> bool:
        if now >= self._latest:
            return True
        since = PAUSE if self._began is None else now - self._began
        shown = [await sign(since) for sign in self._signs]
        calm = self._began is not None and not any(shown)
        self._began = now
        self.due = min(now + PAUSE, self._latest)
        return calm
