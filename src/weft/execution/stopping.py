"""That an attempt is to end, and what it is to give as its reason."""

from __future__ import annotations

import asyncio

from weft.model.outcome import Failure
from weft.model.phase import FailureClass

STOPPED = Failure(FailureClass.KILLED, "stopped")


class Stop(asyncio.Event):
    """Set when the attempt is to end; may be set before it has begun."""

    def __init__(self) -> None:
        super().__init__()
        self.failure = STOPPED

    def ask(self, failure: Failure | None) -> None:
        self.failure = failure or STOPPED
        self.set()
