"""A process under the warden, as Weft sees it."""

from __future__ import annotations

import asyncio
from typing import Protocol

from weft.processes.launch import Exit


class Stopper(Protocol):
    def ask_stop(self, number: int, grace: float) -> None: ...

    def ask_end(self, number: int, sig: int, grace: float) -> None: ...


class Child:
    """A started process. Its end, and that of all its descendants, is one event."""

    __slots__ = ("_exit", "_number", "_stopper", "pid")

    def __init__(self, pid: int, number: int, ended: asyncio.Future[Exit], stopper: Stopper) -> None:
        self.pid = pid
        self._number = number
        self._exit = ended
        self._stopper = stopper

    @property
    def ended(self) -> asyncio.Future[Exit]:
        """Done when it and all its descendants are gone; not to be cancelled."""
        return self._exit

    async def wait(self) -> Exit:
        """Return when it and all its descendants are gone; cancelling this leaves it running."""
        return await asyncio.shield(self._exit)

    def ask(self, sig: int, grace: float) -> None:
        """Signal the process itself and nothing below it, so that it can come to an end in its own way; what is left
        when it has gets SIGTERM, and SIGKILL after `grace` seconds. `wait` tells when all of it is gone.
        """
        if not self._exit.done():
            self._stopper.ask_end(self._number, sig, grace)

    async def stop(self, grace: float) -> Exit:
        """SIGTERM to the whole tree, SIGKILL after `grace` seconds. A second call can only shorten the grace."""
        if not self._exit.done():
            self._stopper.ask_stop(self._number, grace)
        return await self.wait()
