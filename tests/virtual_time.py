"""An event loop in virtual time: it jumps to the next deadline, so that hours pass at once and nothing ever sleeps.

A wait that no timer will end is a deadlock, and an error at once rather than a hang. There are no threads, processes
or sockets in virtual time.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
EPOCH = 1_800_000_000.0


class Deadlock(AssertionError):
    """Every task waits, and nothing will ever happen."""


class _JumpingSelector(selectors.SelectSelector):
    """Instead of waiting for so long, says that so long has passed."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(0)
        if found:
            return found
        if timeout is None:
            raise Deadlock("every task waits for another, and no timer is set")
        self.now += max(0.0, timeout)
        return found


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


class VirtualClock:
    """The engine's clock on such a loop; a wall clock that was set back does not make it go back."""

    def __init__(self, not_before: float = 0.0) -> None:
        loop = asyncio.get_running_loop()
        self._offset = max(EPOCH, not_before) - loop.time()
        self._time = loop.time

    def now(self) -> float:
        return self._offset + self._time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def run_in_virtual_time(main: Coroutine[Any, Any, T]) -> T:
    """For tests that need many loops; others get theirs from the `virtual` loop factory of their folder."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(main)
