"""A session that is told no by its provider says so at once, to everyone: not when it has ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from weft.execution.context import RunContext
from weft.model.commands import RunSession
from weft.model.events import QuotaSeen
from weft.model.limits import RateLimit
from weft.ports import Emit, Reader

Feed = Callable[[bytes], None]


@asynccontextmanager
async def quota_told(context: RunContext, command: RunSession, reader: Reader, emit: Emit) -> AsyncIterator[Feed]:
    """Lines go to the reader; the first refusal that tells its reset becomes an event while the session goes on."""
    refusals: asyncio.Queue[RateLimit] = asyncio.Queue()
    told: set[float] = set()

    def feed(line: bytes) -> None:
        reader.feed(line)
        refusal = reader.refusal
        if refusal is not None and refusal.resets_at is not None and refusal.resets_at not in told:
            told.add(refusal.resets_at)
            refusals.put_nowait(refusal)

    telling = asyncio.create_task(_tell(context, command, refusals, emit), name=f"quota of {command.attempt}")
    try:
        yield feed
        await refusals.join()
    finally:
        telling.cancel()
        await asyncio.gather(telling, return_exceptions=True)


async def _tell(context: RunContext, command: RunSession, refusals: asyncio.Queue[RateLimit], emit: Emit) -> None:
    spec = context.agent(command)
    while True:
        refusal = await refusals.get()
        why = f"{spec.name} was told so by its provider ({refusal.window})"
        account = spec.account or spec.name
        await emit(QuotaSeen(at=context.clock.now(), account=account, resets_at=refusal.resets_at, why=why))
        refusals.task_done()
