"""What `weft run` was asked, and the plan that it comes to."""

from __future__ import annotations

import msgspec

from weft.assembly.agents import agents_named, refuse_impossible
from weft.assembly.governing import governed
from weft.assembly.ground import Ground, open_ground, open_repository
from weft.assembly.jobs import History
from weft.assembly.merge_into import merge_into, refuse_shared_target, target_named
from weft.assembly.needs import Share, make_jobs
from weft.assembly.new_run import new_run_id
from weft.assembly.pipeline import agents_used, default_agent, run_pipeline
from weft.assembly.plan_run import Way, run_plan
from weft.assembly.programs import refuse_missing_programs
from weft.errors import UsageError
from weft.model.ids import RunId
from weft.model.plan import LockRule, MergeInto, Plan, TakeOver
from weft.scheduler.graph import check_plan
from weft.settings.environment import Environment
from weft.settings.kinds import MergeMode
from weft.settings.load import Loaded
from weft.sources.resolve import Place, resolve


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


async def plan_for(ask: RunAsk, loaded: Loaded, environment: Environment, history: History) -> Plan:
    """Everything is read and checked here; nothing is changed."""
    settings = loaded.settings
    repository = await open_repository(environment)
    ground = await open_ground(loaded, repository, settings.name or repository.facts.name)
    pipeline = run_pipeline(loaded, ask.phases, default_agent(settings))
    looked_in = settings.issues.path
    place = Place(source=ground.source, repo=ground.name, folder=environment.folder, looked_in=looked_in)
    issues = resolve(ask.references, place)
    into = await _merge_into(loaded, ground, ask)
    merged_into = into.target if into is not None else None
    phases = tuple(phase.name for phase in pipeline.phases)
    maker = ground.maker(phases, history, force=ask.force, merged_into=merged_into)
    plan = run_plan(
        way=ask.way,
        cap=settings.run.concurrency,
        jobs=await make_jobs([Share(maker, issues)]),
        repo=ground.repo(environment, into),
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


def _locked(plan: Plan, ask: RunAsk, environment: Environment) -> Plan:
    """All locks up front where several go at once, else each as its job starts; none where the caller coordinates."""
    if environment.orchestrated:
        return plan
    rule = LockRule.UP_FRONT if ask.way is Way.PARALLEL else LockRule.AT_START
    take_over = TakeOver.SIGNAL if ask.signal_other else TakeOver.FORCE if ask.force else TakeOver.NEVER
    return msgspec.structs.replace(plan, lock=rule, take_over=take_over)


async def _merge_into(loaded: Loaded, ground: Ground, ask: RunAsk) -> MergeInto | None:
    """Where branches land, if they do."""
    settings = loaded.settings
    match settings.run.merge:
        case MergeMode.NONE:
            return None
        case MergeMode.QUEUE:
            into = merge_into(settings.merge, settings.merge.target or target_named(ask.run or new_run_id()))
            await ground.repository.check_target(into)
            return into
        case MergeMode.PR:
            raise UsageError(
                "run.merge = 'pr': this version makes no pull requests",
                hint='`run.merge = "queue"` merges branches here, `"none"` leaves them to you',
            )
