"""Time that a jump of the wall clock does not disturb."""

from __future__ import annotations

import asyncio
import time


class SteadyClock:
    """Starts at the wall clock (or at `not_before`, if that is later) and goes on by the monotonic one."""

    def __init__(self, not_before: float = 0.0) -> None:
        self._offset = max(time.time(), not_before) - time.monotonic()

    def now(self) -> float:
        return self._offset + time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
