"""`weft projects` as a plan: a lane per repo, its tasks one after the other, so many lanes at once (PROJ-2, 3)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from weft.assembly.agents import agents_named, refuse_impossible
from weft.assembly.governing import governed
from weft.assembly.pipeline import agents_used
from weft.assembly.programs import refuse_missing_programs
from weft.assembly.project_pipeline import project_pipeline
from weft.assembly.projects import Candidate
from weft.model.job import Job
from weft.model.phase import Pipeline
from weft.model.plan import Lane, LockRule, Mode, Order, Plan
from weft.scheduler.graph import check_plan
from weft.settings.environment import Environment
from weft.settings.load import Loaded
from weft.settings.sections import Schedule

BEYOND = "not this time: `schedule.max_projects` is {limit} and projects go one at a time"


def chosen(candidates: Sequence[Candidate], schedule: Schedule) -> list[Candidate]:
    """One at a time, the first so many repos that have something to do; in parallel all of them."""
    if schedule.project_parallelism:
        return list(candidates)
    limit = schedule.max_projects
    lanes = list(dict.fromkeys(candidate.lane for candidate in candidates if candidate.eligible))[:limit]
    return [
        candidate.left(BEYOND.format(limit=limit)) if candidate.eligible and candidate.lane not in lanes else candidate
        for candidate in candidates
    ]


def lane_count(candidates: Sequence[Candidate]) -> int:
    """How many repos have something to do."""
    return len({candidate.lane for candidate in candidates if candidate.eligible})


def cap_of(candidates: Sequence[Candidate], schedule: Schedule) -> int:
    if not schedule.project_parallelism:
        return 1
    return schedule.max_parallel_projects or max(1, lane_count(candidates))


def projects_plan(candidates: Sequence[Candidate], loaded: Loaded, environment: Environment, command: str) -> Plan:
    eligible = [candidate for candidate in candidates if candidate.eligible]
    pipelines = {backend: project_pipeline(loaded, backend) for backend in {one.backend for one in eligible}}
    names = dict.fromkeys(agent for pipeline in pipelines.values() for agent in agents_used(pipeline))
    lanes = _lane_names(eligible)
    plan = Plan(
        mode=Mode.PROJECTS,
        jobs=tuple(_placed(job, lanes[one.lane], pipelines[one.backend]) for one in eligible for job in one.jobs),
        cap=cap_of(candidates, loaded.settings.schedule),
        repos=tuple(one.repo for one in eligible if one.repo is not None),
        lanes=tuple(Lane(name) for name in lanes.values()),
        pipelines=tuple(pipelines.values()),
        agents=agents_named(loaded, names or [""]) if eligible else (),
        order=Order.LISTED,
        lock=LockRule.NONE if environment.orchestrated else LockRule.AT_START,
        grace=loaded.settings.grace,
        command=command,
        projects=tuple(candidate.project for candidate in candidates),
    )
    plan = governed(plan, loaded)
    refuse_impossible(plan)
    refuse_missing_programs(plan, environment)
    check_plan(plan)
    return plan


def _lane_names(eligible: Sequence[Candidate]) -> dict[str, str]:
    """By the repo's folder: the name of the first project that is in it."""
    names: dict[str, str] = {}
    for candidate in eligible:
        names.setdefault(candidate.lane, candidate.project.name)
    return names


def _placed(job: Job, lane: str, pipeline: Pipeline) -> Job:
    return msgspec.structs.replace(job, lane=lane, pipeline=pipeline.name)
