"""A process that is watched to its end: its output read, its time limited, stopped when asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from enum import Enum
from typing import Any

import msgspec

from weft.processes import LOST, Child, Exit, Launch, Warden, WardenDiedError
from weft.processes.follow import follow


class EndedBy(Enum):
    ITSELF = "itself"
    TIMEOUT = "timeout"
    STOP = "stop"
    WARDEN = "warden"
    """What had started it died."""


class Ended(msgspec.Struct, frozen=True):
    exit: Exit
    by: EndedBy


async def attend(
    warden: Warden,
    launch: Launch,
    *,
    on_line: Callable[[bytes], None] | None,
    timeout: float,
    grace: float,
    stop: asyncio.Event,
) -> Ended:
    """Start it and see it through. Lines are given out as the transcript grows, all of them before this returns."""
    try:
        child = await warden.spawn(launch)
    except WardenDiedError:
        return Ended(LOST, EndedBy.WARDEN)
    if on_line is None:
        return await _until_ended(child, timeout, grace, stop)
    over = asyncio.Event()
    reading = asyncio.create_task(follow(launch.stdout, on_line, over), name=f"follow {launch.stdout.name}")
    try:
        ended = await _until_ended(child, timeout, grace, stop)
        over.set()
        await reading
        return ended
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


async def _until_ended(child: Child, timeout: float, grace: float, stop: asyncio.Event) -> Ended:
    stopping = asyncio.create_task(stop.wait(), name=f"stop of {child.pid}")
    try:
        either: tuple[asyncio.Future[Any], ...] = (child.ended, stopping)
        await asyncio.wait(either, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        if child.ended.done():
            exit_ = child.ended.result()
            return Ended(exit_, EndedBy.WARDEN if exit_.warden_died else EndedBy.ITSELF)
        by = EndedBy.STOP if stop.is_set() else EndedBy.TIMEOUT
        return Ended(await child.stop(grace), by)
    finally:
        stopping.cancel()
        await asyncio.gather(stopping, return_exceptions=True)
