"""The engine: starts runs, goes on with dead ones, and owns their tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from types import TracebackType

from weft.engine.control import serve_requests
from weft.engine.loop import RunLoop
from weft.engine.monitor import first_readings, monitors
from weft.engine.quotas import open_quotas, watch_quotas
from weft.engine.recovery import no_session, reconstruct, resume_event
from weft.engine.run import Broadcast, Run
from weft.model.events import AnyEvent, Input, Note, RunStarted
from weft.model.ids import AttemptId, RunId
from weft.model.plan import Plan
from weft.ports import Clock, Hands, Journal, Watched
from weft.scheduler.graph import check_plan
from weft.scheduler.readings import Reading
from weft.scheduler.state import State

MakeHands = Callable[[RunId, Plan, Clock], Hands]
MakeWatched = Callable[[RunId, Plan], Watched]
Beside = Coroutine[None, None, None]


def _watch_nothing(run: RunId, plan: Plan) -> Watched:
    return Watched()


class Engine:
    """An async context: leaving it ends what still runs, in order."""

    def __init__(
        self,
        journal: Journal,
        make_hands: MakeHands,
        make_clock: Callable[[float], Clock],
        make_watched: MakeWatched = _watch_nothing,
    ) -> None:
        self._journal = journal
        self._make_hands = make_hands
        self._make_clock = make_clock
        self._make_watched = make_watched
        self._runs: list[Run] = []

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        tasks = [run.task for run in self._runs if run.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def start(self, run: RunId, plan: Plan) -> Run:
        """Check the plan, then drive it in a task of its own."""
        check_plan(plan)
        clock = self._make_clock(0.0)
        watched = self._make_watched(run, plan)
        readings = await self._first_readings(watched, clock)
        return self._launch(State(run), plan, clock, watched, RunStarted(at=clock.now(), plan=plan, readings=readings))

    async def resume(
        self,
        run: RunId,
        past: Iterable[AnyEvent],
        ended_by_itself: Callable[[AttemptId], bool],
        session_of: Callable[[AttemptId], str | None] = no_session,
    ) -> Run:
        """Go on with a run whose process is gone. The caller has made sure that it is."""
        events = list(past)
        found = reconstruct(run, events)
        plan = found.state.plan
        assert plan is not None
        clock = self._make_clock(found.last_at)
        watched = self._make_watched(run, plan)
        readings = await self._first_readings(watched, clock)
        first = resume_event(found.state, clock.now(), ended_by_itself, readings, session_of)
        return self._launch(found.state, plan, clock, watched, first, found.missing, events)

    async def _first_readings(self, watched: Watched, clock: Clock) -> tuple[Reading, ...]:
        """What limits a run from its first moment."""
        return (*await first_readings(watched, clock), *open_quotas(self._journal, clock.now()))

    def _launch(
        self,
        state: State,
        plan: Plan,
        clock: Clock,
        watched: Watched,
        first: Input,
        missing: Sequence[Note] = (),
        past: Sequence[AnyEvent] = (),
    ) -> Run:
        broadcast = Broadcast()
        broadcast.publish(past)
        loop = RunLoop(state, self._journal, self._make_hands(state.run, plan, clock), clock, broadcast.publish)
        run = Run(state, loop, broadcast, clock)
        run.past = len(past)

        def beside() -> list[Beside]:
            watching = [serve_requests(run, self._journal, clock), watch_quotas(run, self._journal, clock)]
            return [*watching, *monitors(run, watched, clock)]

        run.task = asyncio.create_task(self._drive(loop, beside, broadcast, first, missing), name=f"run {state.run}")
        self._runs.append(run)
        return run

    async def _drive(
        self,
        loop: RunLoop,
        beside: Callable[[], list[Beside]],
        broadcast: Broadcast,
        first: Input,
        missing: Sequence[Note],
    ) -> None:
        """`beside`: what goes on for as long as the loop does."""
        tasks = [asyncio.create_task(each, name="beside the loop") for each in beside()]
        try:
            await loop.drive(first, missing)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            broadcast.close()
