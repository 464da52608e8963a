"""A repo with a merge queue, and the hands of a run upon it: real git, real gates, no scheduler."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from tests.git_repo import GitRepo
from tests.support.processes_of import processes_of

from weft.agents.environment import agent_environment
from weft.agents.registry import make_agent
from weft.assembly.worktrees import make_workspaces
from weft.engine.clock import SteadyClock
from weft.execution.context import RunContext
from weft.execution.hands import LocalHands
from weft.model.commands import Command, GateMerge, GateTarget, Land, MakeMerge, PrepareWorkspace, ReadTarget
from weft.model.events import (
    Input,
    LandingEnded,
    MergeGated,
    MergeMade,
    TargetGated,
    TargetRead,
    WorkspaceReady,
)
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import Job
from weft.model.layout import Layout
from weft.model.phase import Phase, Pipeline, StepKind
from weft.model.plan import AgentKind, AgentSpec, Gate, MergeInto, Mode, Plan, Repo, WorkspaceSetup
from weft.ports import JobLocks, NoLocks
from weft.processes import Warden
from weft.settings.environment import Environment

RUN = RunId("r-merging1")
TARGET = "weft/main-line"
E = TypeVar("E")


class Scene:
    """`hands()` gives what a process of the run has; leaving it is the process's end."""

    def __init__(self, root: Path, repo: GitRepo | None = None) -> None:
        self.root = root
        self.repo = repo or GitRepo(root / "shop", root / "home")
        self.state = root / "state"
        self.layout = Layout(str(self.state))
        self.into = MergeInto(TARGET)
        self.gates: tuple[Gate, ...] = ()
        self.setup = WorkspaceSetup()
        self.agent = "true"
        self.locks: JobLocks = NoLocks()
        self.jobs = {ident: self.job(ident) for ident in ("1", "2", "3")}

    def job(self, ident: str, title: str | None = None) -> Job:
        key = JobKey("shop", ident)
        return Job(key=key, title=title or f"Thing {ident}", lane="shop", branch=f"weft/{ident}-x")

    @property
    def plan(self) -> Plan:
        repo = Repo(
            "shop",
            str(self.repo.path),
            base="main",
            gates=self.gates,
            workspace=self.setup,
            merge=self.into,
        )
        phase = Phase("exec", (StepKind.SESSION,), agent="mine", prompt="{issue}", writes=True)
        agent = AgentSpec("mine", AgentKind.COMMAND, argv=("/bin/sh", "-c", self.agent))
        return Plan(
            mode=Mode.PARALLEL,
            jobs=tuple(self.jobs.values()),
            cap=3,
            repos=(repo,),
            pipelines=(Pipeline("default", (phase,)),),
            agents=(agent,),
            grace=1.0,
        )

    @asynccontextmanager
    async def hands(self, run: RunId = RUN) -> AsyncIterator[Hands]:
        environment = Environment({**self.repo.environment, "WEFT_HOME": str(self.state)}, self.root / "home")
        plan, variables = self.plan, environment.variables
        gates = {repo.name: agent_environment(variables, repo.gate_env, {}) for repo in plan.repos}
        async with Warden() as warden:
            workspaces, merges = make_workspaces(environment, self.layout, warden, run, plan, gates)
            context = RunContext(
                run=run,
                plan=plan,
                jobs={job.key: job for job in plan.jobs},
                layout=self.layout,
                environment=variables,
                gate_environments=gates,
                clock=SteadyClock(),
                warden=warden,
                locks=self.locks,
                workspaces=workspaces,
                merges=merges,
                make_agent=lambda spec: make_agent(spec.kind),
                pipelines={pipeline.name: pipeline for pipeline in plan.pipelines},
                repos={repo.name: repo for repo in plan.repos},
            )
            yield Hands(LocalHands(context), run, warden)

    def worktrees(self) -> list[Path]:
        return sorted(path for path in self.state.glob("worktrees/*/*") if path.is_dir())

    def debris(self) -> list[str]:
        """Whatever may never be left once nothing is under way."""
        admin = self.repo.path / ".git"
        marks = [*self.state.glob("worktrees/*/*.making"), *admin.glob("worktrees/*"), *admin.rglob("*.lock")]
        trash = [*self.state.glob("worktrees/*/.trash/*"), *admin.glob("weft-trash/*")]
        processes = [f"process {pid}" for pid in processes_of(self.root)]
        return [str(path) for path in (*self.worktrees(), *marks, *trash)] + processes


class Hands:
    """Commands by name, each answered with the one event it must be answered with."""

    def __init__(self, hands: LocalHands, run: RunId, warden: Warden) -> None:
        self.local = hands
        self.run = run
        self._warden = warden

    def kill_warden(self) -> None:
        os.kill(self._warden.pid, signal.SIGKILL)

    def attempt(self, ident: str = "1", number: int = 1, phase: str = "merge") -> AttemptId:
        return AttemptId(self.run, JobKey("shop", ident), phase, number)

    async def perform(self, command: Command) -> list[Input]:
        events: list[Input] = []

        async def emit(event: Input) -> None:
            events.append(event)

        await self.local.perform(command, emit)
        return events

    async def _one(self, command: Command, kind: type[E]) -> E:
        (event,) = await self.perform(command)
        assert isinstance(event, kind), event
        return event

    async def read_target(self) -> TargetRead:
        return await self._one(ReadTarget("shop"), TargetRead)

    async def merge(self, source: str, onto: str, ident: str = "1", number: int = 1) -> MergeMade:
        return await self._one(MakeMerge(self.attempt(ident, number), source, onto), MergeMade)

    async def gate(self, commit: str, ident: str = "1", number: int = 1) -> MergeGated:
        return await self._one(GateMerge(self.attempt(ident, number), commit), MergeGated)

    async def gate_target(self, commit: str) -> TargetGated:
        return await self._one(GateTarget(self.attempt(phase="target"), commit), TargetGated)

    async def land(self, commit: str, expected: str, ident: str = "1") -> LandingEnded:
        return await self._one(Land(self.attempt(ident), commit, expected), LandingEnded)

    async def prepare(self, ident: str = "1", **more: str | None) -> WorkspaceReady:
        return await self._one(PrepareWorkspace(JobKey("shop", ident), **more), WorkspaceReady)  # type: ignore[arg-type]


async def at_once(*work: object) -> list[object]:
    return list(await asyncio.gather(*work))  # type: ignore[call-overload]
