"""One run's loop. Nothing is acted on before it is on disk; nothing blocks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from weft.engine.answers import broken_answer
from weft.engine.inbox import Delivery, Inbox
from weft.errors import StoreError
from weft.model.commands import Command, WakeAt, WriteNote
from weft.model.events import AnyEvent, Input, Note, TimerFired
from weft.ports import Clock, Hands, Journal
from weft.scheduler.state import State
from weft.scheduler.step import step

Listener = Callable[[Sequence[AnyEvent]], None]


class RunLoop:
    """Drives one run to its end. Hands work in tasks of its group; the scheduler's state is touched here alone."""

    def __init__(self, state: State, journal: Journal, hands: Hands, clock: Clock, listener: Listener) -> None:
        self._state = state
        self._journal = journal
        self._hands = hands
        self._clock = clock
        self._listener = listener
        self._notes: list[Note] = []
        self._timers: set[asyncio.Task[None]] = set()
        self.inbox = Inbox()

    async def drive(self, first: Input, missing: Sequence[Note] = ()) -> None:
        """Until every job has ended and every note is on disk. `missing`: notes that a dead process did not write."""
        self._notes.extend(missing)
        if not self._state.over:  # else only the last notes were missing
            self.inbox.post(first)
        try:
            async with asyncio.TaskGroup() as hands:
                while self._notes or not self._state.over:
                    if not self._notes:
                        await self.inbox.wait()
                    await self._turn(hands)
                self._end_timers()
        except BaseExceptionGroup as group:
            raise _cause(group) from group
        finally:
            self.inbox.close()

    async def _turn(self, hands: asyncio.TaskGroup) -> None:
        """Write what came in, then step on it, then have done what follows."""
        deliveries = self.inbox.drain()
        notes, self._notes = self._notes, []
        await self._write([*notes, *(event for event, _ in deliveries)], deliveries)
        for event, written in deliveries:
            if not written.done():
                written.set_result(None)
            for command in step(self._state, event):
                self._order(command, hands)

    async def _write(self, events: list[AnyEvent], deliveries: list[Delivery]) -> None:
        try:
            await self._journal.append(self._state.run, events)
        except StoreError as error:
            for _, written in deliveries:
                if not written.done():
                    written.set_exception(error)
                    written.exception()
            self.inbox.fail_all(error)
            raise
        self._listener(events)

    def _order(self, command: Command, hands: asyncio.TaskGroup) -> None:
        match command:
            case WriteNote():
                self._notes.append(command.note)
            case WakeAt():
                timer = hands.create_task(self._wake(command.at), name=f"wake at {command.at:.3f}")
                self._timers.add(timer)
                timer.add_done_callback(self._timers.discard)
            case _:
                hands.create_task(self._carry_out(command), name=str(command))

    async def _wake(self, at: float) -> None:
        await self._clock.sleep(max(0.0, at - self._clock.now()))
        await self.inbox.emit(TimerFired(at=max(at, self._clock.now())))

    async def _carry_out(self, command: Command) -> None:
        try:
            await self._hands.perform(command, self.inbox.emit)
        except StoreError:
            raise
        except Exception as error:
            answer = broken_answer(command, error, self._clock.now())
            if answer is not None:
                await self.inbox.emit(answer)

    def _end_timers(self) -> None:
        for timer in list(self._timers):
            timer.cancel()


def _cause(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The one error that says most: what failed first, not the cancellations that followed."""
    leaf: BaseException = group
    while isinstance(leaf, BaseExceptionGroup):
        leaf = leaf.exceptions[0]
    return leaf
