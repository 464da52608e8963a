"""A process that is watched to its end: its output read, its time limited, stopped when asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from enum import Enum
from signal import Signals
from typing import Any, Protocol

import msgspec

from weft.processes import LOST, Child, Exit, Launch, Warden, WardenDiedError
from weft.processes.follow import follow

GENTLE_GRACE = 30.0
"""Seconds a program has to come to its end that was asked to; then it is stopped like any other."""


class EndedBy(Enum):
    ITSELF = "itself"
    TIMEOUT = "timeout"
    STOP = "stop"
    STALL = "stall"
    """It did nothing for too long."""
    CHECKPOINT = "checkpoint"
    """It went on for long; another goes on with its work."""
    WARDEN = "warden"
    """What had started it died."""


class Ended(msgspec.Struct, frozen=True):
    exit: Exit
    by: EndedBy


class Vigil(Protocol):
    """Decides, by looking from time to time, whether the process is to be ended."""

    by: EndedBy
    due: float
    """When it wants to look next, by the loop's clock."""

    async def over(self, now: float) -> bool: ...


Vigils = Callable[[int, int, float], Sequence[Vigil]]
"""Those to be kept over a process, given its number, the warden's, and the time."""


class _End(msgspec.Struct, frozen=True):
    """How it is brought about."""

    gentle: Signals
    grace: float


class _TimeLimit:
    by = EndedBy.TIMEOUT

    def __init__(self, due: float) -> None:
        self.due = due

    async def over(self, now: float) -> bool:
        return now >= self.due


async def attend(
    warden: Warden,
    launch: Launch,
    *,
    on_line: Callable[[bytes], None] | None,
    timeout: float,
    grace: float,
    stop: asyncio.Event,
    vigils: Vigils | None = None,
    gentle: Signals = Signals.SIGTERM,
) -> Ended:
    """Start it and see it through. Lines are given out as the transcript grows, all of them before this returns."""
    try:
        child = await warden.spawn(launch)
    except WardenDiedError:
        return Ended(LOST, EndedBy.WARDEN)
    now = asyncio.get_running_loop().time()
    kept: list[Vigil] = [*(vigils(child.pid, warden.pid, now) if vigils else ()), _TimeLimit(now + timeout)]
    end = _End(gentle, grace)
    if on_line is None:
        return await _until_ended(child, kept, end, stop)
    over = asyncio.Event()
    reading = asyncio.create_task(follow(launch.stdout, on_line, over), name=f"follow {launch.stdout.name}")
    try:
        ended = await _until_ended(child, kept, end, stop)
        over.set()
        await reading
        return ended
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


async def attend_or_end(warden: Warden, launch: Launch, *, timeout: float, grace: float, name: str) -> Ended:
    """The same for a command nobody reads along with. When this is cancelled the command is ended with all its
    descendants, and gone before the caller hears of it.
    """
    stop = asyncio.Event()
    attending = asyncio.create_task(
        attend(warden, launch, on_line=None, timeout=timeout, grace=grace, stop=stop), name=name
    )
    try:
        return await asyncio.shield(attending)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait({attending})
        raise


async def _until_ended(child: Child, vigils: Sequence[Vigil], end: _End, stop: asyncio.Event) -> Ended:
    stopping = asyncio.create_task(stop.wait(), name=f"stop of {child.pid}")
    try:
        by = await _reason_to_end(child, vigils, stopping)
        if child.ended.done():
            exit_ = child.ended.result()
            return Ended(exit_, EndedBy.WARDEN if exit_.warden_died else EndedBy.ITSELF)
        if by is EndedBy.CHECKPOINT:
            child.ask(end.gentle, end.grace)
            await asyncio.wait((child.ended, stopping), timeout=GENTLE_GRACE, return_when=asyncio.FIRST_COMPLETED)
            by = EndedBy.STOP if stopping.done() else by
        return Ended(await child.stop(end.grace), by)
    finally:
        stopping.cancel()
        await asyncio.gather(stopping, return_exceptions=True)


async def _reason_to_end(child: Child, vigils: Sequence[Vigil], stopping: asyncio.Task[Any]) -> EndedBy:
    """Return when it has ended, or why it is to."""
    loop = asyncio.get_running_loop()
    either: tuple[asyncio.Future[Any], ...] = (child.ended, stopping)
    while True:
        due = min(vigil.due for vigil in vigils)
        await asyncio.wait(either, timeout=max(0.0, due - loop.time()), return_when=asyncio.FIRST_COMPLETED)
        if child.ended.done():
            return EndedBy.ITSELF
        if stopping.done():
            return EndedBy.STOP
        for vigil in vigils:
            if vigil.due <= loop.time() and await vigil.over(loop.time()):
                return vigil.by
