"""One run's loop: on disk first, then acted on; every command answered; nothing left behind."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from tests.unit.engine.fakes import (
    NOT_APPROVED,
    RED,
    RUN,
    TRANSIENT,
    FakeHands,
    SlowJournal,
    TrustingHands,
    World,
    drawn,
    inputs,
    job,
    notes,
    plan,
)

from weft.engine.run import Run
from weft.errors import StoreError, UsageError
from weft.model.commands import Command, PrepareWorkspace, RunSession
from weft.model.events import (
    CapSet,
    JobAdmitted,
    JobEnded,
    PhaseEnded,
    RunEnded,
    RunStarted,
    SessionEnded,
    WorkspaceClosed,
    WorkspaceFailed,
)
from weft.model.ids import JobKey
from weft.model.job import JobStatus
from weft.model.outcome import PhaseStatus
from weft.model.plan import Plan, StopRule
from weft.ports import Emit


async def run_to_the_end(world: World, of: Plan) -> None:
    async with world.engine() as engine:
        run = await engine.start(RUN, of)
        await run.finished()


async def test_a_run_goes_from_its_plan_to_its_end() -> None:
    """Every job through every phase; the plan is the first event and the run's end the last."""
    world = World()
    await run_to_the_end(world, plan(job("1"), job("2"), job("3", "1", "2")))
    assert world.statuses() == dict.fromkeys("123", JobStatus.PASSED)
    assert isinstance(world.events[0], RunStarted)
    assert isinstance(world.events[-1], RunEnded)


async def test_nothing_is_acted_on_before_it_is_on_disk() -> None:
    """RECOVER-1: the fake hands check it at each command, here with a journal that takes its time."""
    world = World(script={("1", "qa"): [NOT_APPROVED]})
    await run_to_the_end(world, plan(job("1"), job("2", "1"), cap=1))
    assert len(world.performed) > 10
    assert notes(world.events) == drawn(world.events)


async def test_an_event_counts_as_written_only_when_it_is() -> None:
    """`emit` returns after the journal has it."""
    world = World()
    async with world.engine() as engine:
        run = await engine.start(RUN, plan(job("1")))
        await run.set_cap(7)
        assert any(isinstance(event, CapSet) and event.cap == 7 for event in world.events)
        await run.finished()


async def test_what_comes_while_the_journal_writes_goes_into_one_group() -> None:
    """Grouped commits: a hundred events at once cost two writes, not a hundred."""
    world = World()
    jobs = [job(str(number), pipeline="short") for number in range(100)]
    await run_to_the_end(world, plan(*jobs, cap=100, sessions=100))
    ends = [group for group in world.journal.groups if any(isinstance(event, SessionEnded) for event in group)]
    assert sum(isinstance(event, SessionEnded) for group in ends for event in group) == 100
    assert len(ends) <= 2


async def test_an_empty_plan_ends_at_once() -> None:
    """Nothing to do is done."""
    world = World()
    await run_to_the_end(world, plan())
    assert isinstance(world.events[-1], RunEnded)


async def test_a_plan_that_cannot_be_is_refused_before_anything_is_written() -> None:
    """WAVE-3: a cycle is named whole, and nothing was started."""
    world = World()
    async with world.engine() as engine:
        with pytest.raises(UsageError, match="shop#1 → shop#2 → shop#1"):
            await engine.start(RUN, plan(job("1", "2"), job("2", "1")))
    assert world.events == []


async def test_a_transient_failure_is_tried_again_after_its_time() -> None:
    """RUN-9: five seconds after the failure, in the run's own time."""
    world = World(script={("1", "spec"): [TRANSIENT]})
    await run_to_the_end(world, plan(job("1")))
    retry = next(e for e in world.events if isinstance(e, PhaseEnded) and e.status is PhaseStatus.RETRYING)
    again = [e for e in inputs(world.events) if e.at >= retry.at + 5]
    assert world.statuses() == {"1": JobStatus.PASSED}
    assert retry.retry_at == pytest.approx(retry.at + 5, abs=0.2)
    assert again


async def test_the_quality_loop_mends_what_gates_and_reviews_find() -> None:
    """RUN-8: exec runs again with the findings."""
    world = World(script={("1", "qa"): [RED, NOT_APPROVED]})
    await run_to_the_end(world, plan(job("1")))
    execs = [c for c in world.performed if isinstance(c, RunSession) and c.attempt.phase == "exec"]
    assert [bool(command.findings) for command in execs] == [False, True, True]
    assert world.statuses() == {"1": JobStatus.PASSED}


class BrokenHands(FakeHands):
    """Raises instead of answering, for one kind of command."""

    kind: type[Command] = PrepareWorkspace
    error: BaseException = ValueError("no such thing")

    async def perform(self, command: Command, emit: Emit) -> None:
        if isinstance(command, self.kind):
            raise self.error
        await super().perform(command, emit)


def broken_world(kind: type[Command], error: BaseException) -> World:
    class Hands(BrokenHands):
        pass

    Hands.kind, Hands.error = kind, error

    world = World()
    world.make = Hands
    return world


async def test_a_hand_that_raises_has_answered_with_its_error() -> None:
    """A defect in one hand fails its job, not the run."""
    world = broken_world(RunSession, ValueError("no such thing"))
    await run_to_the_end(world, plan(job("1"), job("2")))
    ends = [event for event in world.events if isinstance(event, JobEnded)]
    assert {end.status for end in ends} == {JobStatus.FAILED}
    assert ends[0].detail == "ValueError: no such thing"


async def test_a_hand_that_was_cancelled_inside_has_answered_too() -> None:
    """Something inside it was cancelled, not the run: the job must not wait for ever."""
    world = broken_world(PrepareWorkspace, asyncio.CancelledError())
    await run_to_the_end(world, plan(job("1")))
    assert any(isinstance(event, WorkspaceFailed) for event in world.events)
    assert world.statuses() == {"1": JobStatus.FAILED}


async def test_a_journal_that_breaks_stops_the_run_with_its_error() -> None:
    """RECOVER-6: nothing is acted on that is not on disk, whenever it breaks, and no task is left."""
    whole = World()
    await run_to_the_end(whole, plan(job("1"), job("2")))
    for breaks_at in range(len(whole.journal.groups)):
        world = World(SlowJournal(breaks_at))
        with pytest.raises(StoreError, match="database is full"):
            await run_to_the_end(world, plan(job("1"), job("2")))
        assert len(world.journal.groups) == breaks_at
        assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_whoever_hands_something_in_hears_that_the_journal_broke() -> None:
    """Before, during and after the failure."""
    world = World(SlowJournal(breaks_at=3))
    async with world.engine() as engine:
        run = await engine.start(RUN, plan(job("1")))
        with pytest.raises(StoreError):
            await _ask_for_ever(run)
        with pytest.raises(StoreError):
            await run.finished()
        with pytest.raises(StoreError):
            await run.set_cap(3)


async def _ask_for_ever(run: Run) -> None:
    while True:
        await run.set_cap(2)


class ParryingHands(FakeHands):
    """Wants to tell of its end even while it is being ended."""

    async def perform(self, command: Command, emit: Emit) -> None:
        try:
            await super().perform(command, emit)
        finally:
            if isinstance(command, RunSession):
                await emit(WorkspaceClosed(at=self.clock.now(), job=command.attempt.job))


@pytest.mark.parametrize("breaks_at", [None, 5])
async def test_a_hand_that_hands_something_in_while_it_is_ended_does_not_hang(breaks_at: int | None) -> None:
    """Leaving the engine, or a broken journal, ends every hand, whatever it still wants to say."""
    world = World(SlowJournal(breaks_at))
    world.make = ParryingHands
    async with world.engine() as engine:
        await engine.start(RUN, plan(job("1"), job("2")))
        await asyncio.sleep(5)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert not any(isinstance(event, RunEnded) for event in world.events)


async def test_leaving_the_engine_tells_those_who_wait() -> None:
    """An event that will not be written any more is refused, not kept."""
    world = World()
    async with world.engine() as engine:
        run = await engine.start(RUN, plan(job("1")))
        asking = asyncio.create_task(run.set_cap(2))
        await asyncio.sleep(0.01)
    with pytest.raises(UsageError, match="no longer under way"):
        await asking
    with pytest.raises(UsageError, match="no longer under way"):
        await run.set_cap(3)


async def test_what_comes_after_the_end_is_let_go() -> None:
    """A request that comes too late changes nothing and hurts nobody."""
    world = World()
    async with world.engine() as engine:
        run = await engine.start(RUN, plan(job("1")))
        await run.finished()
        before = world.events
        await run.set_cap(5)
        await run.stop(2)
    assert world.events == before


async def test_every_listener_hears_every_event_from_the_first() -> None:
    """However late it starts to listen."""
    world = World()
    async with world.engine() as engine:
        run = await engine.start(RUN, plan(job("1"), job("2")))
        early = asyncio.create_task(_collect(run.events()))
        await asyncio.sleep(20)
        late = asyncio.create_task(_collect(run.events()))
        await run.finished()
        assert await early == await late == world.events
        assert await _collect(run.events()) == world.events


async def _collect(events: object) -> list[object]:
    return [event async for event in events]  # type: ignore[attr-defined]


async def test_stop_ends_what_runs_and_leaves_the_rest() -> None:
    """RUN-14: no new phase, what runs is cancelled, what never started is not run, the run has ended."""
    world = World()
    async with world.engine() as engine:
        run = await engine.start(RUN, plan(job("1"), job("2"), job("3"), cap=2))
        await asyncio.sleep(5)
        await run.stop(2)
        await run.finished()
    assert world.statuses() == {"1": JobStatus.CANCELLED, "2": JobStatus.CANCELLED, "3": JobStatus.NOT_RUN}
    end = world.events[-1]
    assert isinstance(end, RunEnded)
    assert end.stopped_by == 2
    assert end.at - world.events[0].at < 10  # sessions were stopped, not awaited


async def test_the_first_failure_stops_what_runs_where_asked() -> None:
    """`fail_fast`: the others are cancelled."""
    world = World(script={("1", "work"): [msgspec.structs.replace(TRANSIENT)]})
    fast = plan(job("1", pipeline="short"), job("2"), cap=2)
    await run_to_the_end(world, msgspec.structs.replace(fast, stop=StopRule.FAIL_FAST))
    assert world.statuses() == {"1": JobStatus.FAILED, "2": JobStatus.CANCELLED}


async def test_ten_thousand_tasks() -> None:
    """A big plan is only more of the same: each ends once, never more at once than the cap."""
    world = World()
    world.make = TrustingHands
    jobs = [job(str(number), pipeline="short", lane=f"lane-{number}") for number in range(10_000)]
    await run_to_the_end(world, plan(*jobs, cap=500, sessions=500))
    assert len(world.statuses()) == 10_000
    assert set(world.statuses().values()) == {JobStatus.PASSED}
    assert _most_at_once(world) == 500


def _most_at_once(world: World) -> int:
    active: set[JobKey] = set()
    most = 0
    for event in notes(world.events):
        match event:
            case JobAdmitted():
                active.add(event.job)
            case JobEnded():
                active.discard(event.job)
        most = max(most, len(active))
    return most
