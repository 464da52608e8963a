"""Requests from other processes: `weft cap`, `pause`, `resume`, `cancel`, `retry`, `answer`, `queue`."""

from __future__ import annotations

from contextlib import suppress
from typing import assert_never

from weft.engine.run import Run
from weft.errors import StoreError, UsageError
from weft.ports import Clock, ControlRequest, Journal, RequestKind

POLL_SECONDS = 0.2
"""Well under the second within which a request acts; a poll that finds nothing costs microseconds."""


async def serve_requests(run: Run, journal: Journal, clock: Clock) -> None:
    while not run.over:
        try:
            for request in await journal.take_requests(run.id):
                with suppress(UsageError):  # asked for the impossible: the others are heard all the same
                    await apply_request(run, request)
        except StoreError:
            pass  # busy or full: the loop says so when it writes; requests wait in the database
        await clock.sleep(POLL_SECONDS)


async def apply_request(run: Run, request: ControlRequest) -> None:
    match request.kind:
        case RequestKind.CAP:
            assert request.cap is not None
            await run.set_cap(request.cap)
        case RequestKind.PAUSE:
            await run.pause()
        case RequestKind.RESUME:
            await run.resume()
        case RequestKind.CANCEL:
            assert request.job is not None
            await run.cancel(request.job)
        case RequestKind.RETRY:
            assert request.job is not None
            await run.retry(request.job)
        case RequestKind.ANSWER:
            assert request.job is not None
            await run.answer(request.job, request.text or "")
        case RequestKind.QUEUE_HOLD:
            await run.hold_queue(request.repo)
        case RequestKind.QUEUE_RELEASE:
            await run.release_queue(request.repo)
        case RequestKind.QUEUE_REMOVE:
            assert request.job is not None
            await run.remove_from_queue(request.job)
        case _:
            assert_never(request.kind)
