"""Pull requests: push, then create or update. Every trouble is an answer, and waits of the tracker are told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager

from weft.errors import DefectError, WeftError
from weft.execution.context import RunContext
from weft.execution.merging import in_words
from weft.execution.stopping import Stop
from weft.model.commands import HandOff, Publish
from weft.model.events import HandoffEnded, PublishEnded, TrackerWaits
from weft.ports import Emit, Published, PullRequests, Say

STOPPED = "stopped before it was made"


async def publish(context: RunContext, command: Publish, stop: Stop, emit: Emit) -> PublishEnded:
    """Only who has the job's lock may publish its work; after a crash it is taken again here."""
    attempt, door = command.attempt, _door(context)
    answer = context.locks.take(attempt.job)
    lost = answer.message if answer.holder is not None else context.locks.lost(attempt.job)
    if lost:
        return PublishEnded(at=context.clock.now(), attempt=attempt, problem=lost)
    problem, published = None, None
    try:
        async with _told(context, attempt.job.repo, emit) as say:
            published = await _unless_stopped(door.publish(attempt, command.commit, command.base, say), stop)
    except WeftError as error:
        problem = in_words(error)
    return PublishEnded(
        at=context.clock.now(),
        attempt=attempt,
        pull_request=published.pull_request if published else None,
        created=published.created if published else False,
        problem=problem if published or problem else STOPPED,
        api_calls=door.calls_since(),
    )


async def hand_off(context: RunContext, command: HandOff, stop: Stop, emit: Emit) -> HandoffEnded:
    door = _door(context)
    problem, published = None, None
    try:
        async with _told(context, command.repo, emit) as say:
            published = await _unless_stopped(door.hand_off(command.repo, say), stop)
    except WeftError as error:
        problem = in_words(error)
    return HandoffEnded(
        at=context.clock.now(),
        repo=command.repo,
        number=command.number,
        pull_request=published.pull_request if published else None,
        created=published.created if published else False,
        problem=problem if published or problem else STOPPED,
        api_calls=door.calls_since(),
    )


def _door(context: RunContext) -> PullRequests:
    if context.pull_requests is None:
        raise DefectError("this run makes no pull requests")
    return context.pull_requests


async def _unless_stopped(work: Awaitable[Published], stop: Stop) -> Published | None:
    """None where it was stopped before it came to an end: whatever was done of it is found the next time."""
    working = asyncio.ensure_future(work)
    stopping = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()
        if not working.done():
            working.cancel()
        await asyncio.gather(working, stopping, return_exceptions=True)
    return None if working.cancelled() else working.result()


@asynccontextmanager
async def _told(context: RunContext, repo: str, emit: Emit) -> AsyncIterator[Say]:
    """What is said while the tracker is waited for goes to the journal, in order."""
    said: asyncio.Queue[str | None] = asyncio.Queue()

    async def tell() -> None:
        while (text := await said.get()) is not None:
            await emit(TrackerWaits(at=context.clock.now(), repo=repo, why=text))

    telling = asyncio.create_task(tell(), name=f"waits of {repo}")
    try:
        yield said.put_nowait
    finally:
        said.put_nowait(None)
        await telling
