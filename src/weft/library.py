"""Weft from Python: `weft.Plan`, `weft.open_engine`. The same engine, journal and limits as the command line."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from weft.assembly.ask_run import RunAsk, plan_for
from weft.assembly.local import LocalEngine, open_journal, open_local
from weft.assembly.plan_run import Way
from weft.board.board import Board
from weft.board.document import run_document
from weft.board.views import JobView, RunView
from weft.engine.run import Run as EngineRun
from weft.errors import DefectError, ExitCode
from weft.model.events import AnyEvent
from weft.model.ids import JobKey, RunId, parse_key
from weft.model.plan import Plan as PlanData
from weft.settings.environment import Environment
from weft.settings.load import Flag, load

T = TypeVar("T")


class Plan(msgspec.Struct, frozen=True):
    """What is to be done. Made before anything starts, and checked whole."""

    data: PlanData

    @classmethod
    def from_issues(
        cls,
        issues: Iterable[str],
        *,
        repo: str | Path = ".",
        concurrency: int | None = None,
        sequential: bool = False,
        chain: bool = False,
        phases: Iterable[str] | None = None,
        force: bool = False,
    ) -> Plan:
        """As `weft run ISSUE...` in that repo: its weft.toml and the environment count. Raises UsageError."""
        environment = Environment.read()._replace(folder=Path(repo).absolute())
        way = Way.CHAIN if chain else Way.SEQUENTIAL if sequential else Way.PARALLEL
        flags = {} if concurrency is None else {"run.concurrency": Flag("concurrency", concurrency)}
        loaded = load(environment, flags=flags)
        chosen = None if phases is None else tuple(phases)
        ask = RunAsk(tuple(issues), way, chosen, force, command="weft.Plan.from_issues")

        async def make() -> PlanData:
            with open_journal(environment) as journal:
                return await plan_for(ask, loaded, environment, journal)

        return cls(_in_own_loop(make))


class RunResult(msgspec.Struct, frozen=True):
    """How a run ended."""

    view: RunView

    @property
    def exit_code(self) -> ExitCode:
        code = self.view.exit_code
        if code is None:
            raise DefectError(f"run {self.view.run} has no end")
        return code

    @property
    def jobs(self) -> dict[JobKey, JobView]:
        return self.view.jobs

    def document(self) -> dict[str, Any]:
        """As `weft run --json`."""
        return run_document(self.view, self.exit_code)


class Run:
    """A run under way."""

    def __init__(self, run: EngineRun) -> None:
        self._run = run
        self.id: RunId = run.id

    async def set_cap(self, cap: int) -> None:
        """The lever: how many jobs may be active. Lowering it stops no session."""
        await self._run.set_cap(cap)

    async def pause(self) -> None:
        await self._run.pause()

    async def resume(self) -> None:
        await self._run.resume()

    async def cancel(self, job: JobKey | str) -> None:
        await self._run.cancel(_key(job))

    async def retry(self, job: JobKey | str) -> None:
        await self._run.retry(_key(job))

    async def answer(self, job: JobKey | str, text: str) -> None:
        """What a job that was parked or has failed needs to know: it goes on with that."""
        await self._run.answer(_key(job), text)

    async def hold_queue(self, repo: str | None = None) -> None:
        """Merge, test and land nothing new in the repo's merge queue, or in any."""
        await self._run.hold_queue(repo)

    async def release_queue(self, repo: str | None = None) -> None:
        await self._run.release_queue(repo)

    async def remove_from_queue(self, job: JobKey | str) -> None:
        """The job is parked; its branch is kept."""
        await self._run.remove_from_queue(_key(job))

    def why(self, job: JobKey | str) -> str:
        """Why a job is not running, from the scheduler's own state."""
        return self._run.why(_key(job))

    def events(self) -> AsyncIterator[AnyEvent]:
        """Every event, from the first, as it reaches the disk."""
        return self._run.events()

    async def wait(self) -> RunResult:
        """Until every job has ended."""
        await self._run.finished()
        board = Board(self.id)
        async for event in self._run.events():
            board.apply(event)
        return RunResult(board.view)


class Engine:
    """Starts plans on this machine."""

    def __init__(self, local: LocalEngine) -> None:
        self._local = local

    async def start(self, plan: Plan) -> Run:
        return Run(await self._local.start(plan.data))


@asynccontextmanager
async def open_engine() -> AsyncIterator[Engine]:
    """Leaving it ends what still runs: no process stays, nothing that was done is lost."""
    async with open_local(Environment.read()) as local:
        yield Engine(local)


def _key(job: JobKey | str) -> JobKey:
    return job if isinstance(job, JobKey) else parse_key(job)


def _in_own_loop(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run it to its end also where a loop is running already: plans are made before anything is awaited."""
    made: list[T] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            made.append(asyncio.run(make()))
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work, name="weft plan")
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return made[0]
