"""What `weft run` was asked, and the plan that it comes to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from weft.assembly.agents import agents_named, refuse_impossible
from weft.assembly.foreign import foreign_states
from weft.assembly.github_planning import IssueSearch, github_for, merge_mode, open_pulls, publish_to, read_named
from weft.assembly.governing import governed
from weft.assembly.ground import Ground, open_ground, open_repository
from weft.assembly.jobs import History
from weft.assembly.merge_into import merge_into, refuse_shared_target, target_named
from weft.assembly.needs import Share, make_jobs
from weft.assembly.new_run import new_run_id
from weft.assembly.pipeline import agents_used, default_agent, run_pipeline
from weft.assembly.plan_run import Way, run_plan
from weft.assembly.programs import refuse_missing_programs
from weft.model.ids import RunId
from weft.model.plan import LockRule, MergeInto, Plan, TakeOver
from weft.ports import Issue, Say
from weft.scheduler.graph import check_plan
from weft.settings.environment import Environment
from weft.settings.kinds import IssueOrigin, MergeMode
from weft.settings.load import Loaded
from weft.sources.resolve import Place, resolve

if TYPE_CHECKING:  # its client takes long to load
    from weft.assembly.github import Github


class RunAsk(msgspec.Struct, frozen=True):
    """The command line, but for what settings hold."""

    references: tuple[str, ...]
    way: Way = Way.PARALLEL
    phases: tuple[str, ...] | None = None
    force: bool = False
    """Run finished ones again, and take over locks."""
    signal_other: bool = False
    """With `force`: tell whoever has a lock to stop first."""
    override_usage: bool = False
    """Let usage limit nothing."""
    command: str = ""
    run: RunId | None = None
    """The id that the run is to have: its queue's target is named after it."""
    search: IssueSearch = IssueSearch()
    """Further issues, by label or milestone."""


def _silent(text: str) -> None:
    """Nobody listens."""


async def plan_for(ask: RunAsk, loaded: Loaded, environment: Environment, history: History, say: Say = _silent) -> Plan:
    """Everything is read and checked here; nothing is changed. `say` is told of waits for GitHub."""
    settings = loaded.settings
    repository = await open_repository(environment)
    ground = await open_ground(loaded, repository, settings.name or repository.facts.name)
    merge = await merge_mode(loaded, ground)
    async with github_for(ground, environment, say, merge) as hub:
        plan = await _plan(ask, ground, environment, history, merge, hub)
        calls = hub.client.calls if hub is not None else 0
    return msgspec.structs.replace(plan, api_calls=calls)


async def _plan(
    ask: RunAsk, ground: Ground, environment: Environment, history: History, merge: MergeMode, hub: Github | None
) -> Plan:
    loaded, settings = ground.loaded, ground.loaded.settings
    pipeline = run_pipeline(loaded, ask.phases, default_agent(settings))
    ground, issues = await _issues(ask, ground, environment, hub)
    into = await _merge_into(loaded, ground, ask) if merge is MergeMode.QUEUE else None
    publish = await publish_to(hub, ground, loaded) if hub is not None and merge is MergeMode.PR else None
    merged_into = into.target if into is not None else None
    phases = tuple(phase.name for phase in pipeline.phases)
    maker = ground.maker(phases, history, force=ask.force, merged_into=merged_into)
    if hub is not None and publish is not None:
        wanted = [] if ask.force else [branch for issue in issues for branch in maker.branches_of(issue)]
        maker = msgspec.structs.replace(maker, pulls=await open_pulls(hub, wanted))
    own = [name for name in (ground.name, ground.full_name) if name]
    foreign = await foreign_states(hub, issues, own) if hub is not None and ground.full_name else {}
    plan = run_plan(
        way=ask.way,
        cap=settings.run.concurrency,
        jobs=await make_jobs([Share(maker, issues)], foreign=foreign),
        repo=ground.repo(environment, into, publish),
        pipeline=pipeline,
        agents=agents_named(loaded, agents_used(pipeline) or [default_agent(settings)]),
        grace=settings.grace,
        command=ask.command,
    )
    if into is not None:
        refuse_shared_target(into.target, {job.branch for job in plan.jobs})
    refuse_impossible(plan)
    refuse_missing_programs(plan, environment)
    plan = governed(_locked(plan, ask, environment), loaded, override_usage=ask.override_usage)
    check_plan(plan)
    return plan


async def _issues(
    ask: RunAsk, ground: Ground, environment: Environment, hub: Github | None
) -> tuple[Ground, list[Issue]]:
    """Those named, then those found by label or milestone; each once."""
    from_github = ground.loaded.settings.issues.source is IssueOrigin.GITHUB
    if hub is not None and from_github:
        ground, read = await read_named(hub, ground, ask.references, ask.search, environment)
        found: Sequence[Issue] = read.chosen
    else:
        found = ask.search.found_in(ground.source.all()) if ask.search.asked else ()
    looked_in = ground.full_name or ground.loaded.settings.issues.path
    place = Place(ground.source, ground.name, environment.folder, looked_in, ground.full_name)
    named = resolve(ask.references, place)
    known = {issue.id for issue in named}
    return ground, [*named, *(issue for issue in found if issue.id not in known)]


def _locked(plan: Plan, ask: RunAsk, environment: Environment) -> Plan:
    """All locks up front where several go at once, else each as its job starts; none where the caller coordinates."""
    if environment.orchestrated:
        return plan
    rule = LockRule.UP_FRONT if ask.way is Way.PARALLEL else LockRule.AT_START
    take_over = TakeOver.SIGNAL if ask.signal_other else TakeOver.FORCE if ask.force else TakeOver.NEVER
    return msgspec.structs.replace(plan, lock=rule, take_over=take_over)


async def _merge_into(loaded: Loaded, ground: Ground, ask: RunAsk) -> MergeInto:
    """Where branches land."""
    settings = loaded.settings.merge
    into = merge_into(settings, settings.target or target_named(ask.run or new_run_id()))
    await ground.repository.check_target(into)
    return into
