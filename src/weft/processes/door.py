"""The door through which Weft starts agents and gates."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from types import TracebackType

from weft.errors import DefectError, ProcessError
from weft.processes.child import Child
from weft.processes.identity import Identity
from weft.processes.launch import Launch
from weft.processes.link import Link, start_warden


class Warden:
    """Starts processes, and leaves none. Use as `async with Warden() as warden`.

    All runs in a small process of its own (see `weft.processes.warden`), which outlives a killed Weft just long enough
    to end everything. If that process is killed instead, Weft ends what it left, and the next `spawn` starts another.
    """

    def __init__(self, on_start: Callable[[Identity], None] | None = None) -> None:
        """`on_start` is told of each warden before anything runs under it."""
        self._on_start = on_start
        self._link: Link | None = None
        self._starting = asyncio.Lock()
        self._closed = False

    async def __aenter__(self) -> Warden:
        try:
            await self._living()
        except BaseException:
            await outlast(self._close())
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await outlast(self._close())

    @property
    def pid(self) -> int:
        return self.identity.pid

    @property
    def identity(self) -> Identity:
        """The warden's process, to record: recovery waits for its end with `await_gone`."""
        if self._link is None:
            raise DefectError("the warden is asked for before it was started")
        return self._link.identity

    async def spawn(self, launch: Launch) -> Child:
        """Start a program; ProcessError says why it could not be. Cancelled, it leaves nothing behind."""
        link = self._link
        if link is None or not link.alive:
            link = await self._living()
        return await link.spawn(launch)

    def kill_all(self) -> None:
        """SIGKILL to everything at once, for a user who does not want to wait; `wait` tells when it is done."""
        if self._link is not None:
            self._link.kill_all()

    async def _living(self) -> Link:
        """The warden there is, or a new one if it died."""
        async with self._starting:
            if self._link is None or not self._link.alive:
                await outlast(self._start())
            assert self._link is not None
            return self._link

    async def _start(self) -> None:
        if self._link is not None:
            await self._link.gone
        if self._closed:
            raise ProcessError("nothing can be started any more: Weft is ending")
        self._link = await start_warden()
        if self._on_start is not None:
            self._on_start(self._link.identity)

    async def _close(self) -> None:
        self._closed = True
        async with self._starting:
            if self._link is not None:
                self._link.close()
                await self._link.gone


async def outlast(work: Coroutine[None, None, None]) -> None:
    """See the work through even if cancelled meanwhile; the cancellation counts after."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
    task.result()
    if cancelled is not None:
        raise cancelled
