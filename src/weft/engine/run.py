"""A run under way, as its owner sees it: the lever, the events, the result."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from weft.engine.loop import RunLoop
from weft.errors import UsageError
from weft.model.events import (
    AnswerGiven,
    AnyEvent,
    CancelRequested,
    CapSet,
    Input,
    PauseSet,
    QueueHoldSet,
    QueueRemoveRequested,
    RetryRequested,
    StopRequested,
)
from weft.model.ids import JobKey, RunId
from weft.ports import Clock
from weft.scheduler.readings import Reading, matters
from weft.scheduler.state import State
from weft.scheduler.why import why

Feed = asyncio.Queue[AnyEvent | None]


class Broadcast:
    """Gives every event that is on disk to everyone who listens, from the first one on."""

    def __init__(self) -> None:
        self._past: list[AnyEvent] = []
        self._feeds: list[Feed] = []
        self._closed = False

    def publish(self, events: Sequence[AnyEvent]) -> None:
        self._past.extend(events)
        for feed in self._feeds:
            for event in events:
                feed.put_nowait(event)

    def close(self) -> None:
        self._closed = True
        for feed in self._feeds:
            feed.put_nowait(None)

    async def subscribe(self) -> AsyncIterator[AnyEvent]:
        feed: Feed = asyncio.Queue()
        for event in self._past:
            feed.put_nowait(event)
        if self._closed:
            feed.put_nowait(None)
        self._feeds.append(feed)
        try:
            while (event_or_end := await feed.get()) is not None:
                yield event_or_end
        finally:
            self._feeds.remove(feed)


class Run:
    """Handle on a run that this process drives."""

    def __init__(self, state: State, loop: RunLoop, broadcast: Broadcast, clock: Clock) -> None:
        self._state = state
        self._loop = loop
        self._broadcast = broadcast
        self._clock = clock
        self.task: asyncio.Task[None] | None = None
        self.past = 0
        """How many of `events` an earlier process wrote and showed: those come first."""

    @property
    def id(self) -> RunId:
        return self._state.run

    @property
    def cap(self) -> int:
        return self._state.cap

    @property
    def over(self) -> bool:
        return self._state.over

    def events(self) -> AsyncIterator[AnyEvent]:
        """Every event of this run in this process, from its first, as it reaches the disk."""
        return self._broadcast.subscribe()

    async def set_cap(self, cap: int) -> None:
        if cap < 1:
            raise UsageError(f"Invalid cap: {cap}. Must be a positive integer.", hint="`pause` stops admission")
        await self.emit(CapSet(at=self._clock.now(), cap=cap))

    async def pause(self) -> None:
        await self.emit(PauseSet(at=self._clock.now(), paused=True))

    async def resume(self) -> None:
        await self.emit(PauseSet(at=self._clock.now(), paused=False))

    async def cancel(self, job: JobKey, why: str = "cancelled by the user") -> None:
        await self.emit(CancelRequested(at=self._clock.now(), job=job, why=why))

    async def retry(self, job: JobKey) -> None:
        await self.emit(RetryRequested(at=self._clock.now(), job=job))

    async def answer(self, job: JobKey, text: str) -> None:
        """The job goes on with what a person says, where it was parked or had failed."""
        await self.emit(AnswerGiven(at=self._clock.now(), job=job, text=text))

    async def hold_queue(self, repo: str | None = None) -> None:
        """Nothing new is merged, tested or landed there; None: in no merge queue of the run."""
        await self._set_hold(repo, held=True)

    async def release_queue(self, repo: str | None = None) -> None:
        """Go on; a target that was red is looked at anew."""
        await self._set_hold(repo, held=False)

    async def remove_from_queue(self, job: JobKey) -> None:
        """The job is parked, its branch kept; one that lands already, lands."""
        await self.emit(QueueRemoveRequested(at=self._clock.now(), job=job))

    async def stop(self, signal: int) -> None:
        """End everything in order; returns when that is on disk, not when it is done."""
        await self.emit(StopRequested(at=self._clock.now(), signal=signal))

    def now(self) -> float:
        """The run's own clock."""
        return self._clock.now()

    def why(self, job: JobKey) -> str:
        return why(self._state, job)

    def matters(self, reading: Reading) -> bool:
        """Whether a reading is worth an entry in the journal."""
        return matters(self._state, reading)

    async def _set_hold(self, repo: str | None, *, held: bool) -> None:
        queues = self._state.queues
        if repo is not None and repo not in queues:
            raise UsageError(f"Run {self.id} has no merge queue of `{repo}`")
        for name in queues if repo is None else (repo,):
            await self.emit(QueueHoldSet(at=self._clock.now(), repo=name, held=held))

    async def emit(self, event: Input) -> None:
        if not self._state.over:
            await self._loop.inbox.post(event)

    async def finished(self) -> None:
        """Returns when the run is over; raises what ended it otherwise."""
        assert self.task is not None
        await asyncio.shield(self.task)
