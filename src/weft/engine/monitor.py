"""Watches usage and the machine while a run is under way: readings that matter become events."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine

from weft.engine.run import Run
from weft.model.events import MachineRead, UsageRead
from weft.ports import Clock, Gauge, Meter, Watched
from weft.scheduler.readings import Reading

Read = Callable[[], Awaitable[Reading]]


async def first_readings(watched: Watched, clock: Clock) -> tuple[Reading, ...]:
    """What limits a run from its first moment."""
    return tuple([await read() for read, _ in _readers(watched, clock)])


def monitors(run: Run, watched: Watched, clock: Clock) -> list[Coroutine[None, None, None]]:
    """To run beside the loop until the run is over."""
    return [_watch(run, read, every, clock) for read, every in _readers(watched, clock)]


async def _watch(run: Run, read: Read, every: float, clock: Clock) -> None:
    while not run.over:
        await clock.sleep(every)
        reading = await read()
        if run.matters(reading):
            await run.emit(reading)


def _readers(watched: Watched, clock: Clock) -> list[tuple[Read, float]]:
    readers: list[tuple[Read, float]] = []
    if watched.machine is not None:
        readers.append((_machine(watched.machine, clock), watched.machine_every))
    if watched.meter is not None:
        readers.append((_usage(watched.meter, clock), watched.meter_every))
    return readers


def _usage(meter: Meter, clock: Clock) -> Read:
    async def read() -> UsageRead:
        found = await meter.read()
        return UsageRead(at=clock.now(), meters=found.meters, unknown=found.unknown)

    return read


def _machine(gauge: Gauge, clock: Clock) -> Read:
    async def read() -> MachineRead:
        found = await gauge.read()
        return MachineRead(
            at=clock.now(),
            free_memory=found.free_memory,
            free_disk=found.free_disk,
            load=found.load,
            in_use=found.in_use,
            needs=found.needs,
        )

    return read
