"""An engine on this machine: journal, warden, worktrees, agents, put together."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from weft.agents.environment import agent_environment
from weft.agents.registry import make_agent
from weft.assembly.answers import with_answers
from weft.assembly.claims import Claims
from weft.assembly.github_doors import GithubDoors
from weft.assembly.governing import watched
from weft.assembly.history import History
from weft.assembly.lock_place import make_lock_folders
from weft.assembly.locks import RENEWAL, WATCH, RunLocks, locks_of
from weft.assembly.new_run import new_run_id
from weft.assembly.notifying import finish, notifier_of
from weft.assembly.publishing import GithubPullRequests, makes_pull_requests
from weft.assembly.spent import opened
from weft.assembly.worktrees import make_workspaces
from weft.engine.clock import SteadyClock
from weft.engine.engine import Engine
from weft.engine.run import Run
from weft.execution.context import RunContext
from weft.execution.hands import LocalHands
from weft.model.events import AnyEvent
from weft.model.ids import AttemptId, RunId
from weft.model.layout import Layout
from weft.model.plan import Plan, TakeOver
from weft.ports import Clock, Hands, JobLocks, PullRequests, Purse, Watched
from weft.processes import Warden
from weft.settings.environment import Environment
from weft.stores.claims import Claim
from weft.stores.purses import SqlitePurse
from weft.stores.sqlite import SqliteJournal


def layout_of(environment: Environment) -> Layout:
    return Layout(str(environment.state_folder))


def open_journal(environment: Environment) -> SqliteJournal:
    return SqliteJournal(Path(layout_of(environment).database))


class LocalEngine:
    """Runs plans on this machine. Every run is claimed by this process until the engine is left."""

    def __init__(
        self,
        environment: Environment,
        journal: SqliteJournal,
        warden: Warden,
        claims: Claims,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        self._warn = warn or _to_stderr
        self._telling: list[asyncio.Task[None]] = []
        self.journal = journal
        self.layout = layout_of(environment)
        self._environment = environment
        self._warden = warden
        self._claims = claims
        self._locks: list[RunLocks] = []
        self._resumed: set[RunId] = set()
        self._runs: list[Run] = []
        self._doors: list[GithubDoors] = []
        self.engine = Engine(journal, self._hands, SteadyClock, self._watched)

    async def start(self, plan: Plan, run: RunId | None = None) -> Run:
        """`run`: the id it is to have, where the plan already names it."""
        make_lock_folders(plan)
        run = run or new_run_id()
        self.claim(run)
        plan = with_answers(self._opened(plan), self.journal)
        return self._kept(await self.engine.start(run, plan))

    async def resume(
        self,
        run: RunId,
        past: list[AnyEvent],
        ended_by_itself: Callable[[AttemptId], bool],
        session_of: Callable[[AttemptId], str | None],
    ) -> Run:
        """The caller has claimed the run, and seen to it that nothing of the dead process is left."""
        self._resumed.add(run)
        return self._kept(await self.engine.resume(run, past, ended_by_itself, session_of))

    def _opened(self, plan: Plan) -> Plan:
        """With what was spent before, looked up as late as can be."""
        if plan.budget is None:
            return plan
        past = History(self.journal, self.layout).past({repo.path for repo in plan.repos})
        return opened(plan, self.journal, past, self._environment, time.time())

    def _kept(self, run: Run) -> Run:
        self._runs.append(run)
        notifier = notifier_of(run.id, self._environment, self.layout, self._warden, self._warn)
        if notifier is not None:
            self._telling.append(asyncio.create_task(notifier.follow(run), name="notify"))
        return run

    async def finish_telling(self) -> None:
        """Let the last messages to people who are away go out."""
        await finish(self._telling, self._warn)

    def claim(self, run: RunId) -> Claim:
        return self._claims.take(run, self._warden.identity)

    def kill_all(self) -> None:
        """For a user who does not want to wait."""
        self._warden.kill_all()

    def _hands(self, run: RunId, plan: Plan, clock: Clock) -> Hands:
        variables = self._environment.variables
        gates = {repo.name: agent_environment(variables, repo.gate_env, {}) for repo in plan.repos}
        workspaces, merges = make_workspaces(self._environment, self.layout, self._warden, run, plan, gates)
        context = RunContext(
            run=run,
            plan=plan,
            jobs={job.key: job for job in plan.jobs},
            layout=self.layout,
            environment=variables,
            gate_environments=gates,
            clock=clock,
            warden=self._warden,
            locks=self._locks_of(run, plan),
            workspaces=workspaces,
            merges=merges,
            make_agent=lambda spec: make_agent(spec.kind),
            pipelines={pipeline.name: pipeline for pipeline in plan.pipelines},
            repos={repo.name: repo for repo in plan.repos},
            purse=self._purse(run, plan),
            pull_requests=self._pull_requests(run, plan, clock),
        )
        return LocalHands(context)

    def _pull_requests(self, run: RunId, plan: Plan, clock: Clock) -> PullRequests | None:
        if not makes_pull_requests(plan.repos):
            return None
        doors = GithubDoors(self._environment, clock)
        self._doors.append(doors)
        return GithubPullRequests(run, plan, self.journal, self._environment, doors)

    async def close_doors(self) -> None:
        for doors in self._doors:
            await doors.close()

    def _purse(self, run: RunId, plan: Plan) -> Purse | None:
        limits = [limit for limit in plan.budget.limits if limit.scope.shared] if plan.budget else []
        return SqlitePurse(self.journal.path, run, limits) if limits else None

    def _watched(self, run: RunId, plan: Plan) -> Watched:
        return watched(run, plan, self._environment, self.layout, self._warden)

    def _locks_of(self, run: RunId, plan: Plan) -> JobLocks:
        """Locks are taken from others only when the user has just said so: not by going on with an old run."""
        if run in self._resumed:
            plan = msgspec.structs.replace(plan, take_over=TakeOver.NEVER)
        locks = locks_of(run, plan)
        if isinstance(locks, RunLocks):
            self._locks.append(locks)
        return locks

    async def tend_locks(self) -> None:
        """As long as the engine is open: stop jobs whose lock was taken over, and show others that we live."""
        renewed = time.monotonic()
        while True:
            await asyncio.sleep(WATCH)
            for locks in self._locks:
                await self._stop_lost(locks)
            if time.monotonic() - renewed >= RENEWAL:
                renewed = time.monotonic()
                for locks in self._locks:
                    locks.renew_all()

    async def _stop_lost(self, locks: RunLocks) -> None:
        for job, why in locks.all_lost().items():
            for run in self._runs:
                if run.id == locks.run:
                    await run.cancel(job, why)

    def release_locks(self) -> None:
        """Whatever a run that was cut short did not give back."""
        for locks in self._locks:
            locks.release_all()


def _to_stderr(text: str) -> None:
    sys.stderr.write(f"{text}\n")


@asynccontextmanager
async def open_local(environment: Environment, warn: Callable[[str], None] | None = None) -> AsyncIterator[LocalEngine]:
    """`warn` is told what goes wrong beside a run; default: standard error.

    Leaving it ends what still runs: first the loops, then every process, then locks, claims and the journal."""
    with (
        open_journal(environment) as journal,
        Claims(Path(layout_of(environment).root)) as claims,
        contextlib.ExitStack() as last,
    ):
        async with Warden(on_start=claims.note_warden) as warden:
            local = LocalEngine(environment, journal, warden, claims, warn)
            last.callback(local.release_locks)
            renewing = asyncio.create_task(local.tend_locks(), name="locks")
            try:
                async with local.engine:
                    yield local
            finally:
                await local.finish_telling()
                await local.close_doors()
                renewing.cancel()
                await asyncio.gather(renewing, return_exceptions=True)
