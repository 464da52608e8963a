"""`weft wave`: issues of several repos as one plan, a lane per repo, each repo's work merged by its queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from weft.assembly.agents import agents_named, refuse_impossible
from weft.assembly.expectation import Timed, timed
from weft.assembly.governing import governed
from weft.assembly.ground import Ground
from weft.assembly.history import History
from weft.assembly.merge_into import merge_into, refuse_shared_target, target_named
from weft.assembly.needs import Counts, Share, make_jobs
from weft.assembly.pipeline import agents_used, default_agent, run_pipeline
from weft.assembly.programs import refuse_missing_programs
from weft.assembly.wave import Wave, wave_issues, wave_named
from weft.assembly.wave_github import WaveGithub, wave_github
from weft.assembly.wave_grounds import open_grounds
from weft.model.job import Job
from weft.model.phase import Pipeline
from weft.model.plan import Lane, LockRule, Mode, Plan, Repo, TakeOver
from weft.ports import Issue, Say
from weft.scheduler.graph import check_plan
from weft.settings.environment import Environment
from weft.settings.load import Loaded
from weft.settings.sections import RepoSettings
from weft.sources.wave_issues import Chosen


class WaveAsk(msgspec.Struct, frozen=True):
    """The command line, but for what settings hold."""

    wave: str
    """A milestone's name, or a plan file."""
    cap: int | None = None
    """Default: as many as there are repos."""
    phases: tuple[str, ...] | None = None
    force: bool = False
    signal_other: bool = False
    override_usage: bool = False
    """Let usage limit nothing."""
    command: str = ""


def _silent(text: str) -> None:
    """Nobody listens."""


async def plan_wave(
    ask: WaveAsk, loaded: Loaded, environment: Environment, history: History, say: Say = _silent
) -> Timed:
    """Everything is read and checked here; nothing is changed. `say` is told of waits for GitHub."""
    wave = wave_named(ask.wave, loaded, environment)
    grounds = await open_grounds(wave, environment)
    async with wave_github(grounds, environment, say) as github:
        return await _plan_wave(ask, wave, await github.read(wave, grounds), loaded, environment, history, github)


async def _plan_wave(
    ask: WaveAsk,
    wave: Wave,
    grounds: Sequence[Ground],
    loaded: Loaded,
    environment: Environment,
    history: History,
    github: WaveGithub,
) -> Timed:
    chosen = wave_issues(wave, {ground.name: ground.source for ground in grounds})
    pipeline = run_pipeline(loaded, ask.phases, default_agent(loaded.settings))
    targets = [_target(wave, said, ground, loaded) for said, ground in zip(wave.repos, grounds, strict=True)]
    jobs = await _jobs(ask, grounds, targets, chosen, pipeline, history, await github.foreign(grounds))
    plan = Plan(
        mode=Mode.WAVE,
        jobs=tuple(jobs),
        cap=ask.cap or wave.cap,
        repos=await _repos(grounds, targets, jobs, loaded, environment, github),
        lanes=tuple(Lane(ground.name, said.width) for said, ground in zip(wave.repos, grounds, strict=True)),
        pipelines=(pipeline,),
        agents=agents_named(loaded, agents_used(pipeline) or [default_agent(loaded.settings)]),
        grace=loaded.settings.grace,
        command=ask.command,
        name=wave.name,
        api_calls=github.calls,
    )
    refuse_impossible(plan)
    refuse_missing_programs(plan, environment)
    plan = governed(_locked(plan, ask, environment), loaded, override_usage=ask.override_usage)
    check_plan(plan)
    return timed(plan, chosen.estimates, history.past({repo.path for repo in plan.repos}))


async def _jobs(
    ask: WaveAsk,
    grounds: Sequence[Ground],
    targets: Sequence[str],
    chosen: Chosen,
    pipeline: Pipeline,
    history: History,
    foreign: Mapping[str, bool],
) -> list[Job]:
    phases = tuple(phase.name for phase in pipeline.phases)
    shares = [
        Share(ground.maker(phases, history.journal, force=ask.force, lands_on=target), _of(chosen, ground.name))
        for ground, target in zip(grounds, targets, strict=True)
    ]
    made = {job.key: job for job in await make_jobs(shares, Counts.CLOSED, foreign)}
    return [msgspec.structs.replace(made[key], pipeline=pipeline.name) for key in chosen.issues]


def _of(chosen: Chosen, repo: str) -> list[Issue]:
    return [issue for key, issue in chosen.issues.items() if key.repo == repo]


async def _repos(
    grounds: Sequence[Ground],
    targets: Sequence[str],
    jobs: Sequence[Job],
    loaded: Loaded,
    environment: Environment,
    github: WaveGithub,
) -> tuple[Repo, ...]:
    """Those that have something to do; a target that Weft could not land on is refused before anything starts."""
    repos: list[Repo] = []
    for ground, target in zip(grounds, targets, strict=True):
        branches = {job.branch for job in jobs if job.key.repo == ground.name}
        if branches:
            into = merge_into(loaded.settings.merge, target)
            refuse_shared_target(target, branches)
            await ground.repository.check_target(into)
            repos.append(ground.repo(environment, into, await github.publish(ground, target)))
    return tuple(repos)


def _target(wave: Wave, said: RepoSettings, ground: Ground, loaded: Loaded) -> str:
    own = ground.loaded.settings.merge.target
    return said.target or loaded.settings.merge.target or own or target_named(wave.name)


def _locked(plan: Plan, ask: WaveAsk, environment: Environment) -> Plan:
    """LOCK-3: each as its job starts."""
    if environment.orchestrated:
        return plan
    take_over = TakeOver.SIGNAL if ask.signal_other else TakeOver.FORCE if ask.force else TakeOver.NEVER
    return msgspec.structs.replace(plan, lock=LockRule.AT_START, take_over=take_over)
