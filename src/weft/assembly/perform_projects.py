"""A run over projects from taking them to its report: the same for the command line and the daemon."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import msgspec

from weft.assembly.local import LocalEngine, layout_of, open_local
from weft.assembly.new_run import new_run_id
from weft.assembly.plan_projects import projects_plan
from weft.assembly.project_run import ProjectRun
from weft.assembly.projects import Candidate
from weft.assembly.recover import interrupted_runs
from weft.assembly.reports import write_reports
from weft.assembly.take_over import take_over
from weft.board.views import RunView
from weft.engine.run import Run
from weft.errors import LockedError
from weft.model.layout import Layout
from weft.model.plan import Mode, Plan
from weft.ports import Journal

Watch = Callable[[LocalEngine, Run], Awaitable[RunView]]
"""Sees a run through to its end, and shows it as it goes."""
Say = Callable[[str], None]


class Performed(msgspec.Struct, frozen=True):
    candidates: tuple[Candidate, ...]
    view: RunView | None = None
    """None: nothing was left to run once the projects were taken."""
    reports: tuple[Path, ...] = ()


async def perform(projects: ProjectRun, watch: Watch, say: Say) -> Performed:
    """`projects` has looked. Projects are given back and the report is written however the run ends."""
    run = new_run_id()
    with projects.giving_back(run):
        candidates = await projects.take(run)
        if not any(candidate.eligible for candidate in candidates):
            return Performed(tuple(candidates))
        plan = projects_plan(candidates, projects.loaded, projects.environment, projects.ask.command)
        layout = layout_of(projects.environment)
        async with open_local(projects.environment, say) as local:
            await _take_over_dead(local.journal, layout, plan, say)
            view = await watch(local, await local.start(plan, run))
        return Performed(tuple(candidates), view, tuple(write_reports(view, layout)))


async def _take_over_dead(journal: Journal, layout: Layout, plan: Plan, say: Say) -> None:
    """Tasks that a dead run left and this one does are taken out of it: whoever recovers it does not do them again."""
    wanted = [job.key for job in plan.jobs]
    paths = {repo.path for repo in plan.repos}
    for record in interrupted_runs(journal, layout):
        if record.mode != Mode.PROJECTS.value or not paths.intersection(record.repos):
            continue
        try:
            taken = await take_over(journal, layout, record.run, wanted)
        except LockedError:
            continue  # someone recovers it at this moment; its projects were not free, then
        if taken:
            say(f"note: {_names(taken)} of the interrupted run {record.run} {_are(taken)} done by this run now")


def _names(keys: Sequence[object]) -> str:
    return ", ".join(f"`{key}`" for key in keys)


def _are(keys: Sequence[object]) -> str:
    return "is" if len(keys) == 1 else "are"
