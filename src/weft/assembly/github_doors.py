"""GitHub as a run uses it: one connection per repo, opened when it is first needed, waits told to all who wait."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import TYPE_CHECKING

from weft.model.plan import PublishTo
from weft.ports import Clock, Say
from weft.settings.environment import Environment

if TYPE_CHECKING:  # its client takes long to load
    from weft.assembly.github import Github


class GithubDoors:
    """Of one run. `close` ends the connections."""

    def __init__(self, environment: Environment, clock: Clock) -> None:
        self._environment = environment
        self._clock = clock
        self._open: dict[tuple[str, str], Github] = {}
        self._opening = asyncio.Lock()
        self._stack = AsyncExitStack()
        self._listeners: list[Say] = []
        self._told = 0

    async def door(self, to: PublishTo) -> Github:
        """UsageError where there is no token any more."""
        from weft.assembly.github import address_to, open_github

        key = (to.api_url, to.repo)
        async with self._opening:
            if key not in self._open:
                opened = open_github(address_to(to), self._environment, self._clock, self._say)
                self._open[key] = await self._stack.enter_async_context(opened)
        return self._open[key]

    @contextmanager
    def telling(self, say: Say) -> Iterator[None]:
        """While this is open, `say` hears of every wait."""
        self._listeners.append(say)
        try:
            yield
        finally:
            self._listeners.remove(say)

    def calls_since(self) -> int:
        calls = sum(hub.client.calls for hub in self._open.values())
        new, self._told = calls - self._told, calls
        return new

    async def close(self) -> None:
        await self._stack.aclose()

    def _say(self, text: str) -> None:
        """One who waits tells of it: the others wait for the same."""
        for say in self._listeners[:1]:
            say(text)
