"""A session's part in the budget: set aside before it starts, told of while it is under way."""

from __future__ import annotations

import asyncio

from weft.execution.attended import EndedBy, Vigil, Vigils
from weft.execution.context import RunContext
from weft.execution.stopping import Stop
from weft.model.commands import RunSession
from weft.model.events import UsageSeen
from weft.model.outcome import Failure
from weft.model.phase import FailureClass
from weft.model.usage import NO_USAGE
from weft.ports import Emit, Purse, Reader

EVERY = 1.0
"""Seconds between two looks at what a session has used."""
FIRST = 0.25
RETRY = 1.0
"""Seconds after which one asks again that waits for sessions of other runs."""


async def set_aside(context: RunContext, command: RunSession, stop: Stop) -> Failure | None:
    """Why it may not start; None: it may. Where other runs may give something back it waits for that."""
    purse = context.purse
    if purse is None or command.reserved is None:
        return None
    agent = context.agent(command).name
    while True:
        answer = await asyncio.to_thread(purse.take, command.attempt, agent, command.reserved, context.clock.now())
        if answer.refused is None:
            return None
        if not answer.may_come_free:
            return Failure(FailureClass.BUDGET, answer.refused)
        try:
            await asyncio.wait_for(stop.wait(), RETRY)
        except TimeoutError:
            continue
        return stop.failure


class UsageWatch:
    """Looks at what the reader has counted, and tells when it has changed. Ends nothing by itself: who decides that
    hears of it.
    """

    by = EndedBy.STOP

    def __init__(self, context: RunContext, command: RunSession, reader: Reader, emit: Emit, now: float) -> None:
        self._context = context
        self._attempt = command.attempt
        self._reader = reader
        self._emit = emit
        self._told = NO_USAGE
        self.due = now + FIRST

    async def over(self, now: float) -> bool:
        self.due = now + EVERY
        used = self._reader.used
        if used != self._told:
            self._told = used
            elsewhere = await _elsewhere(self._context.purse, self._context.clock.now())
            at = self._context.clock.now()
            await self._emit(UsageSeen(at=at, attempt=self._attempt, usage=used, elsewhere=elsewhere))
        return False


async def _elsewhere(purse: Purse | None, at: float) -> tuple[tuple[str, float], ...]:
    return await asyncio.to_thread(purse.elsewhere, at) if purse is not None else ()


def watching_usage(
    vigils: Vigils | None, context: RunContext, command: RunSession, reader: Reader, emit: Emit
) -> Vigils | None:
    """The same and one more, where there is a budget."""
    if context.plan.budget is None or not reader.wants_lines:
        return vigils

    def kept(pid: int, warden: int, now: float) -> list[Vigil]:
        return [*(vigils(pid, warden, now) if vigils else ()), UsageWatch(context, command, reader, emit, now)]

    return kept
