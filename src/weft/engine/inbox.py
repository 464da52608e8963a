"""Events on their way to the journal."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from weft.model.events import Input

Delivery = tuple[Input, asyncio.Future[None]]


class Inbox:
    """Takes events from hands and requests."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Delivery] = []
        self._arrived = asyncio.Event()
        self._closed = False
        self._failure: Exception | None = None

    def post(self, event: Input) -> asyncio.Future[None]:
        """Hand it in; the future is done when it is on disk."""
        written: asyncio.Future[None] = self._loop.create_future()
        if self._failure is not None:
            _refuse(written, self._failure)
            return written
        if self._closed:
            written.set_result(None)
            return written
        self._waiting.append((event, written))
        self._arrived.set()
        return written

    def drain(self) -> list[Delivery]:
        taken, self._waiting = self._waiting, []
        self._arrived.clear()
        return taken

    async def wait(self) -> None:
        await self._arrived.wait()

    def close(self) -> None:
        """The run is over: what comes too late is let go."""
        self._closed = True
        for _, written in self.drain():
            if not written.done():
                written.set_result(None)

    def fail(self, error: Exception, unwritten: Sequence[Delivery] = ()) -> None:
        """Nothing is written any more: nobody may act on what is not on disk, now or later."""
        self._failure = error
        for _, written in (*unwritten, *self.drain()):
            _refuse(written, error)


def _refuse(written: asyncio.Future[None], error: Exception) -> None:
    if not written.done():
        written.set_exception(error)
        written.exception()  # looked at: a hand that is gone need not hear it
