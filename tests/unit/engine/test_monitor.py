"""Usage and the machine are watched while a run is under way; what they say moves the lever."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from tests.unit.engine.fakes import RUN, World, job, plan
from tests.virtual_time import VirtualClock

from weft.engine.engine import Engine
from weft.model.events import AnyEvent, JobAdmitted, JobEnded, LimitSet, MachineRead, RunStarted, UsageRead
from weft.model.gauges import MachineReading, MeterReading, UsageReading
from weft.model.governing import MachinePlan, UsagePlan
from weft.model.ids import RunId
from weft.model.job import JobStatus
from weft.model.plan import Plan
from weft.ports import Watched


class Dial:
    """A meter that a test turns."""

    def __init__(self, percent: float | None = 0.0) -> None:
        self.percent = percent
        self.reads = 0

    async def read(self) -> UsageReading:
        self.reads += 1
        if self.percent is None:
            return UsageReading(unknown="nobody there")
        return UsageReading((MeterReading("5h", self.percent),))


class Memory:
    def __init__(self, free: int) -> None:
        self.free = free

    async def read(self) -> MachineReading:
        return MachineReading(free_memory=self.free)


class Governed(World):
    def __init__(self, meter: Dial | None = None, machine: Memory | None = None) -> None:
        super().__init__()
        self.watched = Watched(meter=meter, meter_every=1.0, machine=machine, machine_every=1.0)

    def engine(self) -> Engine:
        return Engine(self.journal, self._make_hands, VirtualClock, self._watched)

    def _watched(self, run: RunId, plan: Plan) -> Watched:
        return self.watched

    def of(self, kind: type[AnyEvent]) -> list[AnyEvent]:
        return [event for event in self.events if isinstance(event, kind)]

    def in_flight(self) -> int:
        return len(self.of(JobAdmitted)) - len(self.of(JobEnded))


def some_jobs(count: int, cap: int) -> Plan:
    made = plan(*(job(str(n), pipeline="short") for n in range(count)), cap=cap)
    return msgspec.structs.replace(made, usage=UsagePlan(), machine=MachinePlan(min_free_memory=1000))


def most_at_once(events: list[AnyEvent], since: float) -> int:
    """Exactly how many were in flight at the same time, at most, counting from a moment on."""
    now = most = 0
    for event in events:
        now += isinstance(event, JobAdmitted) - isinstance(event, JobEnded)
        if event.at >= since:
            most = max(most, now)
    return most


@pytest.mark.parametrize(("percent", "then"), [(65, 2), (75, 1)])
async def test_stepping_down_in_a_run_under_way_reduces_admission(percent: float, then: int) -> None:
    """WAVE-5, TEST-1: three at once before; after it exactly two, or one; no session is stopped for it."""
    dial = Dial()
    world = Governed(dial)
    async with world.engine() as engine:
        run = await engine.start(RUN, some_jobs(9, cap=3))
        await asyncio.sleep(5)
        assert world.in_flight() == 3
        dial.percent = percent
        await asyncio.sleep(1.2)
        assert world.in_flight() == 3, "those under way go on"
        await asyncio.sleep(10)
        assert world.in_flight() == then
        since = run.now()
        await run.finished()
    assert most_at_once(world.events, since) == then
    assert set(world.statuses().values()) == {JobStatus.PASSED}
    assert len(world.statuses()) == 9


async def test_the_last_step_is_a_pause_and_it_goes_on_with_the_margin() -> None:
    """WAVE-5: at 80 % nothing new starts, however long; at 75 % one does, at 60 % all three."""
    dial = Dial()
    world = Governed(dial)
    async with world.engine() as engine:
        run = await engine.start(RUN, some_jobs(12, cap=3))
        for percent, expected in ((80.0, 0), (75.5, 0), (75.0, 1), (60.5, 2), (60.0, 3)):
            dial.percent = percent
            await asyncio.sleep(30 if percent == 80.0 else 8)
            assert world.in_flight() == expected, percent
        await run.finished()
    assert len(world.statuses()) == 12


async def test_usage_is_known_before_the_first_job_starts() -> None:
    """WAVE-5: a run that begins at 90 % starts nothing at all until there is room."""
    dial = Dial(90)
    world = Governed(dial)
    async with world.engine() as engine:
        run = await engine.start(RUN, some_jobs(2, cap=2))
        await asyncio.sleep(60)
        assert world.of(JobAdmitted) == []
        dial.percent = 5
        await run.finished()
    assert len(world.statuses()) == 2


async def test_unknown_holds_and_is_told() -> None:
    """WAVE-5: an unreadable meter leaves the cap where it is, and there is an event that says so."""
    dial = Dial(75)
    world = Governed(dial)
    async with world.engine() as engine:
        run = await engine.start(RUN, some_jobs(4, cap=3))
        await asyncio.sleep(3)
        dial.percent = None
        await asyncio.sleep(20)
        assert world.in_flight() == 1
        await run.finished()
    assert most_at_once(world.events, 0.0) == 1
    told = [event for event in world.events if isinstance(event, UsageRead) and event.unknown]
    assert [event.unknown for event in told] == ["nobody there"]
    last = [event for event in world.events if isinstance(event, LimitSet)][-1]
    assert (last.cap, last.why) == (1, "usage unknown: nobody there; the cap holds where it is")


async def test_a_meter_that_does_not_move_writes_nothing() -> None:
    """The journal is not filled by what changes nothing."""
    dial = Dial(12)
    world = Governed(dial, Memory(5000))
    async with world.engine() as engine:
        run = await engine.start(RUN, some_jobs(9, cap=1))
        await run.finished()
    assert dial.reads > 50
    assert world.of(UsageRead) == world.of(MachineRead) == world.of(LimitSet) == []
    started = world.events[0]
    assert isinstance(started, RunStarted)
    assert [type(reading) for reading in started.readings] == [MachineRead, UsageRead]


async def test_without_memory_nothing_new_starts() -> None:
    """GOV-4: what runs goes on to its end; with memory again, so does the run."""
    memory = Memory(5000)
    world = Governed(machine=memory)
    async with world.engine() as engine:
        run = await engine.start(RUN, some_jobs(4, cap=2))
        await asyncio.sleep(3)
        memory.free = 999
        await asyncio.sleep(60)
        assert len(world.of(JobAdmitted)) == len(world.of(JobEnded)) == 2
        memory.free = 1100
        await run.finished()
    assert set(world.statuses().values()) == {JobStatus.PASSED}
    assert len(world.of(MachineRead)) == 2
