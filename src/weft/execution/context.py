"""What the hands of one run work with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from weft.model.commands import RunSession
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import Job
from weft.model.layout import Layout
from weft.model.phase import Phase, Pipeline
from weft.model.plan import AgentSpec, Plan, Repo
from weft.ports import Agent, Clock, JobLocks, Merges, PullRequests, Purse, Workspaces
from weft.processes import Warden


class RunContext(msgspec.Struct, frozen=True):
    run: RunId
    plan: Plan
    jobs: Mapping[JobKey, Job]
    layout: Layout
    environment: Mapping[str, str]
    """What Weft was started with; agents' adapters reduce it to what their agents may have."""
    gate_environments: Mapping[str, Mapping[str, str]]
    """What gates and set-up commands are given, by repo."""
    clock: Clock
    warden: Warden
    workspaces: Workspaces
    merges: Merges
    locks: JobLocks
    make_agent: Callable[[AgentSpec], Agent]

    pipelines: Mapping[str, Pipeline]
    repos: Mapping[str, Repo]
    purse: Purse | None = None
    """Limits shared with other runs; None: there are none."""
    pull_requests: PullRequests | None = None
    """None: the plan asks for none."""

    def job(self, key: JobKey) -> Job:
        return self.jobs[key]

    def phase(self, attempt: AttemptId) -> Phase:
        pipeline = self.pipelines[self.jobs[attempt.job].pipeline]
        return pipeline.phases[pipeline.index(attempt.phase)]

    def agent(self, command: RunSession) -> AgentSpec:
        """Who does the session: the phase's own agent, or another in its place."""
        return self.plan.agent(command.agent or self.phase(command.attempt).agent)

    def session_phase(self, command: RunSession) -> Phase:
        """The phase as its session sees it: a model is its own agent's, and means nothing to another."""
        phase = self.phase(command.attempt)
        return msgspec.structs.replace(phase, model=None) if command.agent else phase

    def repo(self, key: JobKey) -> Repo:
        return self.repos[key.repo]

    def folder(self, key: JobKey) -> Path:
        """Where the job's transcripts are; made on first use."""
        folder = Path(self.layout.job(self.run, key))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder
