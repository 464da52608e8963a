"""An engine on this machine: journal, warden, worktrees, agents, put together."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from weft.agents.environment import agent_environment
from weft.agents.registry import make_agent
from weft.assembly.claims import Claims
from weft.assembly.worktrees import make_workspaces
from weft.engine.clock import SteadyClock
from weft.engine.engine import Engine
from weft.engine.run import Run
from weft.execution.context import RunContext
from weft.execution.hands import LocalHands
from weft.model.events import AnyEvent
from weft.model.ids import AttemptId, RunId
from weft.model.layout import Layout
from weft.model.plan import Plan
from weft.ports import Clock, Hands
from weft.processes import Warden
from weft.settings.environment import Environment
from weft.stores.claims import Claim
from weft.stores.sqlite import SqliteJournal

_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"


def new_run_id() -> RunId:
    """Short enough to type, without letters that look alike."""
    return RunId("r-" + "".join(secrets.choice(_ALPHABET) for _ in range(8)))


def layout_of(environment: Environment) -> Layout:
    return Layout(str(environment.state_folder))


def open_journal(environment: Environment) -> SqliteJournal:
    return SqliteJournal(Path(layout_of(environment).database))


class LocalEngine:
    """Runs plans on this machine. Every run is claimed by this process until the engine is left."""

    def __init__(self, environment: Environment, journal: SqliteJournal, warden: Warden, claims: Claims) -> None:
        self.journal = journal
        self.layout = layout_of(environment)
        self._environment = environment
        self._warden = warden
        self._claims = claims
        self.engine = Engine(journal, self._hands, SteadyClock)

    async def start(self, plan: Plan) -> Run:
        run = new_run_id()
        self.claim(run)
        return await self.engine.start(run, plan)

    async def resume(self, run: RunId, past: list[AnyEvent], ended_by_itself: Callable[[AttemptId], bool]) -> Run:
        """The caller has claimed the run, and seen to it that nothing of the dead process is left."""
        return await self.engine.resume(run, past, ended_by_itself)

    def claim(self, run: RunId) -> Claim:
        return self._claims.take(run, self._warden.identity)

    def kill_all(self) -> None:
        """For a user who does not want to wait."""
        self._warden.kill_all()

    def _hands(self, run: RunId, plan: Plan, clock: Clock) -> Hands:
        variables = self._environment.variables
        gates = {repo.name: agent_environment(variables, repo.gate_env, {}) for repo in plan.repos}
        context = RunContext(
            run=run,
            plan=plan,
            jobs={job.key: job for job in plan.jobs},
            layout=self.layout,
            environment=variables,
            gate_environments=gates,
            clock=clock,
            warden=self._warden,
            workspaces=make_workspaces(self._environment, self.layout, self._warden, run, plan, gates),
            make_agent=lambda spec: make_agent(spec.kind),
        )
        return LocalHands(context)


@asynccontextmanager
async def open_local(environment: Environment) -> AsyncIterator[LocalEngine]:
    """Leaving it ends what still runs: first the loops, then every process, then the claims and the journal."""
    with open_journal(environment) as journal, Claims(Path(layout_of(environment).root)) as claims:
        async with Warden(on_start=claims.note_warden) as warden:
            local = LocalEngine(environment, journal, warden, claims)
            async with local.engine:
                yield local
