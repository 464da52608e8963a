"""One run's loop. Nothing is acted on before it is on disk; nothing blocks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from weft.engine.answers import broken_answer
from weft.engine.inbox import Delivery, Inbox
from weft.errors import StoreError, UsageError
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
        self._broken_by: Exception | None = None
        self._timers: set[asyncio.Task[None]] = set()
        self._unwritten: list[Delivery] = []
        self.inbox = Inbox()

    async def drive(self, first: Input, missing: Sequence[Note] = ()) -> None:
        """Until every job has ended and every note is on disk. `missing`: notes that a dead process did not write."""
        self._notes.extend(missing)
        if not self._state.over:  # else only the last notes were missing
            self.inbox.post(first)
        try:
            async with asyncio.TaskGroup() as hands:
                with self._refusing_when_broken():
                    while self._notes or not self._state.over:
                        if not self._notes:
                            await self.inbox.wait()
                        await self._turn(hands)
                self.inbox.close()
                self._end_timers()
        except BaseExceptionGroup as group:
            raise self._broken_by or _first_leaf(group) from group
        finally:
            self.inbox.close()

    @contextmanager
    def _refusing_when_broken(self) -> Iterator[None]:
        """From the moment the loop writes no more, whoever hands something in must hear so, or would wait for ever."""
        try:
            yield
        except Exception as error:
            self._broken_by = error
            self.inbox.fail(error, self._unwritten)
            raise
        except asyncio.CancelledError:
            self.inbox.fail(UsageError(f"Run `{self._state.run}` is no longer under way here"), self._unwritten)
            raise

    async def _turn(self, hands: asyncio.TaskGroup) -> None:
        """Write what came in, then step on it, then have done what follows."""
        self._unwritten = deliveries = self.inbox.drain()
        notes, self._notes = self._notes, []
        events: list[AnyEvent] = [*notes, *(event for event, _ in deliveries)]
        await self._journal.append(self._state.run, events)
        self._unwritten = []
        for _, written in deliveries:
            if not written.done():
                written.set_result(None)
        self._listener(events)
        for event, _ in deliveries:
            for command in step(self._state, event):
                self._order(command, hands)

    def _order(self, command: Command, hands: asyncio.TaskGroup) -> None:
        match command:
            case WriteNote():
                self._notes.append(command.note)
            case WakeAt():
                timer = hands.create_task(self._wake(command.at), name=f"wake at {command.at:.3f}")
                self._timers.add(timer)
                timer.add_done_callback(self._timers.discard)
            case _:
                hands.create_task(self._carry_out(command), name=type(command).__name__)

    async def _wake(self, at: float) -> None:
        await self._clock.sleep(max(0.0, at - self._clock.now()))
        await self.inbox.post(TimerFired(at=max(at, self._clock.now())))

    async def _carry_out(self, command: Command) -> None:
        try:
            await self._hands.perform(command, self.inbox.post)
        except StoreError:
            raise
        except Exception as error:
            await self._answer_for(command, error)
        except asyncio.CancelledError as error:
            if _asked_to_end():
                raise
            await self._answer_for(command, error)  # something inside the hand was cancelled, not the hand

    async def _answer_for(self, command: Command, error: BaseException) -> None:
        answer = broken_answer(command, error, self._clock.now())
        if answer is not None:
            await self.inbox.post(answer)

    def _end_timers(self) -> None:
        for timer in list(self._timers):
            timer.cancel()


def _asked_to_end() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _first_leaf(group: BaseExceptionGroup[BaseException]) -> BaseException:
    leaf: BaseException = group
    while isinstance(leaf, BaseExceptionGroup):
        leaf = leaf.exceptions[0]
    return leaf
