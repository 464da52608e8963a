"""Following a run from any process: ask the database now and then whether anything was committed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable

from weft.model.ids import RunId
from weft.ports import Entry
from weft.stores.reader import Reader

LOOK_EVERY = 0.1
"""Seconds; a look costs some microseconds."""


async def follow(reader: Reader, run: RunId, after: int, alive: Callable[[], bool]) -> AsyncGenerator[Entry, None]:
    known = False
    while True:
        # Asked before reading: whatever was written by then is still given out.
        version, ended = reader.data_version(), reader.has_ended(run)
        over = bool(ended) or (known and ended is None) or not alive()
        known = known or ended is not None
        seen = after
        while entries := reader.chunk(run, after):
            for entry in entries:
                yield entry
            after = entries[-1].seq
            await asyncio.sleep(0)
        if over and after == seen:
            return
        if not over:
            await _wait_for_news(reader, version, alive)


async def _wait_for_news(reader: Reader, version: int, alive: Callable[[], bool]) -> None:
    while reader.data_version() == version and alive():  # noqa: ASYNC110 - other processes set no event
        await asyncio.sleep(LOOK_EVERY)
