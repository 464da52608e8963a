"""What `weft run` was asked, and the plan that it comes to."""

from __future__ import annotations

from pathlib import Path

import msgspec

from weft.assembly.agents import agents_named, refuse_impossible
from weft.assembly.jobs import History, JobMaker
from weft.assembly.lock_place import lock_place
from weft.assembly.pipeline import agents_used, default_agent, run_pipeline
from weft.assembly.plan_run import Way, run_plan
from weft.assembly.programs import refuse_missing_programs
from weft.errors import UsageError
from weft.model.plan import LockRule, Plan, Repo, TakeOver, WorkspaceSetup
from weft.scheduler.graph import check_plan
from weft.settings.environment import Environment
from weft.settings.gates import gates_of
from weft.settings.kinds import IssueOrigin, MergeMode
from weft.settings.load import Loaded
from weft.sources.folder import FolderSource
from weft.sources.resolve import Place, resolve
from weft.workspaces.git import Git
from weft.workspaces.repository import Repository, find_repo


class RunAsk(msgspec.Struct, frozen=True):
    """The command line, but for what settings hold."""

    references: tuple[str, ...]
    way: Way = Way.PARALLEL
    phases: tuple[str, ...] | None = None
    force: bool = False
    """Run finished ones again, and take over locks."""
    signal_other: bool = False
    """With `force`: tell whoever has a lock to stop first."""
    command: str = ""


async def plan_for(ask: RunAsk, loaded: Loaded, environment: Environment, history: History) -> Plan:
    """Everything is read and checked here; nothing is changed."""
    settings = loaded.settings
    _refuse_missing_parts(loaded)
    repository = await open_repository(environment)
    name = settings.name or repository.facts.name
    pipeline = run_pipeline(loaded, ask.phases, default_agent(settings))
    source = FolderSource(loaded.folder / settings.issues.path)
    place = Place(source=source, repo=name, folder=environment.folder, looked_in=settings.issues.path)
    issues = resolve(ask.references, place)
    await repository.check_branch_prefix(settings.run.branch_prefix)
    base = await _base_commit(repository, settings.run.base)
    maker = JobMaker(
        repo=name,
        repo_path=str(repository.facts.root),
        base=base,
        branch_prefix=settings.run.branch_prefix,
        phases=tuple(phase.name for phase in pipeline.phases),
        source=source,
        history=history,
        branches=repository,
        force=ask.force,
    )
    plan = run_plan(
        way=ask.way,
        cap=settings.run.concurrency,
        jobs=await maker.jobs(issues),
        repo=_repo(loaded, environment, repository.facts.root, name, base),
        pipeline=pipeline,
        agents=agents_named(loaded, agents_used(pipeline) or [default_agent(settings)]),
        grace=settings.grace,
        command=ask.command,
    )
    refuse_impossible(plan)
    refuse_missing_programs(plan, environment)
    plan = _locked(plan, ask, environment)
    check_plan(plan)
    return plan


def _locked(plan: Plan, ask: RunAsk, environment: Environment) -> Plan:
    """All locks up front where several go at once, else each as its job starts; none where the caller coordinates."""
    if environment.orchestrated:
        return plan
    rule = LockRule.UP_FRONT if ask.way is Way.PARALLEL else LockRule.AT_START
    take_over = TakeOver.SIGNAL if ask.signal_other else TakeOver.FORCE if ask.force else TakeOver.NEVER
    return msgspec.structs.replace(plan, lock=rule, take_over=take_over)


async def open_repository(environment: Environment) -> Repository:
    """The repo of the current folder: its main checkout, also when called from one of its worktrees."""
    git = Git(environment.variables)
    return Repository(git, await find_repo(git, environment.folder))


async def _base_commit(repository: Repository, wanted: str | None) -> str:
    """A commit from here on: a branch that moves during the run does not move the run."""
    if wanted is not None:
        commit = await repository.resolve(wanted)
        if commit is None:
            raise UsageError(f"run.base = `{wanted}`: not a branch or commit of `{repository.facts.root}`")
        return commit
    commit = await repository.resolve(await repository.default_base())
    if commit is None:
        raise UsageError(f"`{repository.facts.root}` has no commit yet", hint="commit something, then try again")
    return commit


def _refuse_missing_parts(loaded: Loaded) -> None:
    if loaded.settings.issues.source is not IssueOrigin.FOLDER:
        raise UsageError(
            f"issues.source = {loaded.settings.issues.source.value!r}: this version reads issues from a folder",
            hint='set `issues.source = "folder"`',
        )
    merge = loaded.settings.run.merge
    if merge is not MergeMode.NONE:
        raise UsageError(
            f"run.merge = {merge.value!r}: this version leaves branches for you to merge",
            hint='set `run.merge = "none"`',
        )


def _repo(loaded: Loaded, environment: Environment, root: Path, name: str, base: str) -> Repo:
    settings = loaded.settings
    return Repo(
        name=name,
        path=str(root),
        base=base,
        gates=gates_of(settings, root),
        gate_env=settings.gates.env,
        workspace=WorkspaceSetup(
            setup=settings.workspace.setup,
            copy=settings.workspace.copy,
            link=settings.workspace.link,
            timeout=settings.workspace.timeout,
        ),
        locks=lock_place(settings.locks, environment, root),
    )
