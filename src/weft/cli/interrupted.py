"""Says that an earlier run was interrupted, before a new one begins in the same repo (RECOVER-1)."""

from __future__ import annotations

from pathlib import Path

from weft.assembly.local import layout_of
from weft.assembly.recover import interrupted_runs
from weft.assembly.take_over import take_over
from weft.cli.chosen import names
from weft.cli.printing import note
from weft.model.events import RunStarted
from weft.model.ids import JobKey, RunId
from weft.model.plan import Mode, Plan
from weft.ports import Journal, RunRecord
from weft.settings.environment import Environment
from weft.workspaces.git import Git


def interrupted_in(journal: Journal, environment: Environment, plan: Plan) -> list[RunRecord]:
    """Dead runs in the plan's repos, oldest first."""
    layout = layout_of(environment)
    found = {record.run: record for repo in plan.repos for record in interrupted_runs(journal, layout, Path(repo.path))}
    return sorted(found.values(), key=lambda record: record.started_at)


def warn_interrupted(journal: Journal, environment: Environment, plan: Plan) -> None:
    for record in interrupted_in(journal, environment, plan):
        where = _where(record, plan)
        note(f"note: run {record.run} in {where} was interrupted; `weft recover {record.run}` goes on with it")


def _where(record: RunRecord, plan: Plan) -> str:
    if len(plan.repos) == 1:
        return "this repo"
    return ", ".join(f"`{repo.name}`" for repo in plan.repos if repo.path in record.repos)


async def take_over_interrupted(journal: Journal, environment: Environment, plan: Plan) -> list[JobKey]:
    """Say so, and take the jobs that the new run does out of the dead ones; answers which."""
    warn_interrupted(journal, environment, plan)
    found: list[JobKey] = []
    for record in interrupted_in(journal, environment, plan):
        if record.mode == Mode.TASKS.value:
            continue  # its jobs are prompts, though they may be called like issues
        git = Git(environment.variables)
        wanted = _same_jobs(plan, journal, record.run)
        taken = await take_over(journal, layout_of(environment), record.run, wanted, git)
        found += taken
        if taken:
            note(f"note: {names(taken)} of run {record.run} {'is' if len(taken) == 1 else 'are'} done by this run now")
    return found


def _same_jobs(plan: Plan, journal: Journal, run: RunId) -> list[JobKey]:
    """Jobs of the dead run that the new one does. A repo is known by its path: it may be called otherwise there."""
    first = next((entry.event for entry in journal.read(run)), None)
    if not isinstance(first, RunStarted):
        return []
    names = {repo.path: repo.name for repo in plan.repos}
    now = {repo.name: names.get(repo.path, "") for repo in first.plan.repos}
    wanted = {job.key for job in plan.jobs if job.finished is None and job.unmet is None}
    return [job.key for job in first.plan.jobs if JobKey(now.get(job.key.repo, ""), job.key.id) in wanted]
