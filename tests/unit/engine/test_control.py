"""Requests from other processes act within a second of the run's own time (WAVE-4)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from tests.unit.engine.fakes import RUN, World, job, plan

from weft.errors import StoreError
from weft.model.events import (
    AnswerGiven,
    AnyEvent,
    CancelRequested,
    CapSet,
    JobAdmitted,
    JobEnded,
    PauseSet,
    RetryRequested,
)
from weft.model.ids import JobKey, RunId
from weft.model.job import JobStatus
from weft.ports import ControlRequest, RequestKind

ONE = JobKey("shop", "1")
Test = Callable[[AnyEvent], bool]

REQUESTS = [
    (ControlRequest(RequestKind.CAP, cap=5), lambda event: isinstance(event, CapSet) and event.cap == 5),
    (ControlRequest(RequestKind.PAUSE), lambda event: isinstance(event, PauseSet) and event.paused),
    (ControlRequest(RequestKind.RESUME), lambda event: isinstance(event, PauseSet) and not event.paused),
    (ControlRequest(RequestKind.CANCEL, job=ONE), lambda event: isinstance(event, CancelRequested)),
    (ControlRequest(RequestKind.RETRY, job=ONE), lambda event: isinstance(event, RetryRequested)),
    (
        ControlRequest(RequestKind.ANSWER, job=ONE, text="blue"),
        lambda event: isinstance(event, AnswerGiven) and event.text == "blue",
    ),
]


@pytest.mark.parametrize(("request_", "arrived"), REQUESTS, ids=[request.kind.value for request, _ in REQUESTS])
async def test_a_request_is_an_event_within_a_second(request_: ControlRequest, arrived: Test) -> None:
    """WAVE-4: asked at any time, on disk within 1 s."""
    world = World()
    async with world.engine() as engine:
        run = await engine.start(RUN, plan(job("1")))
        await asyncio.sleep(3.14)
        asked_at = run.now()
        world.journal.ask(RUN, request_)
        await run.finished()
    found = next(event for event in world.events if arrived(event))
    assert asked_at <= found.at <= asked_at + 1


async def test_raising_the_cap_starts_jobs_and_lowering_it_stops_none() -> None:
    """WAVE-4: the lever up and down."""
    world = World()
    async with world.engine() as engine:
        run = await engine.start(RUN, plan(*(job(str(n), pipeline="short") for n in range(6)), cap=1))
        await asyncio.sleep(2)
        assert _admitted(world) == 1
        world.journal.ask(RUN, ControlRequest(RequestKind.CAP, cap=4))
        await asyncio.sleep(1)
        assert _admitted(world) == 4
        world.journal.ask(RUN, ControlRequest(RequestKind.CAP, cap=1))
        await run.finished()
    assert set(world.statuses().values()) == {JobStatus.PASSED}


async def test_a_paused_run_admits_nobody_until_it_is_resumed() -> None:
    """WAVE-4: what runs goes on to its end, and nothing else begins."""
    world = World()
    async with world.engine() as engine:
        run = await engine.start(RUN, plan(job("1", pipeline="short"), job("2", pipeline="short"), cap=1))
        world.journal.ask(RUN, ControlRequest(RequestKind.PAUSE))
        await asyncio.sleep(3600)
        assert world.statuses() == {"1": JobStatus.PASSED}
        assert run.why(JobKey("shop", "2")) == "waits for a slot: the run is paused (`weft resume` lifts it)"
        world.journal.ask(RUN, ControlRequest(RequestKind.RESUME))
        await run.finished()
    assert world.statuses()["2"] is JobStatus.PASSED


async def test_a_cancelled_job_ends_and_a_retried_one_runs_again() -> None:
    """`weft cancel`, then `weft retry`, while another job keeps the run going."""
    world = World()
    async with world.engine() as engine:
        run = await engine.start(RUN, plan(job("1"), job("2"), cap=2))
        await asyncio.sleep(5)
        await run.cancel(ONE, "not wanted")
        await asyncio.sleep(5)
        await run.retry(ONE)
        await run.finished()
    ends = [event for event in world.events if isinstance(event, JobEnded) and event.job == ONE]
    assert [(end.status, end.reason) for end in ends] == [
        (JobStatus.CANCELLED, "not wanted"),
        (JobStatus.PASSED, None),
    ]


async def test_an_impossible_request_does_not_silence_the_others() -> None:
    """A cap of 0 is refused where it was asked for; what comes behind it is still heard."""
    world = World()
    async with world.engine() as engine:
        run = await engine.start(RUN, plan(job("1")))
        world.journal.ask(RUN, ControlRequest(RequestKind.CAP, cap=0))
        world.journal.ask(RUN, ControlRequest(RequestKind.CANCEL, job=JobKey("shop", "unknown")))
        world.journal.ask(RUN, ControlRequest(RequestKind.CAP, cap=9))
        await run.finished()
        assert run.cap == 9


async def test_a_database_that_is_busy_for_a_while_loses_no_request() -> None:
    """They wait there until they can be read."""
    world = World()
    answers = iter([StoreError("busy"), StoreError("busy")])
    real = world.journal.take_requests

    async def take(run: RunId) -> list[ControlRequest]:
        for error in answers:
            raise error
        return await real(run)

    world.journal.take_requests = take  # type: ignore[method-assign]
    async with world.engine() as engine:
        run = await engine.start(RUN, plan(job("1")))
        world.journal.ask(RUN, ControlRequest(RequestKind.CAP, cap=9))
        await run.finished()
        assert run.cap == 9


def _admitted(world: World) -> int:
    return sum(isinstance(event, JobAdmitted) for event in world.events)
