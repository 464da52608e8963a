"""From a plan of tasks to its end: for `parallel`, `chain` and `compare`."""

from __future__ import annotations

from typing import Any

import msgspec

from weft.assembly.governing import governed
from weft.assembly.history import open_history
from weft.assembly.local import LocalEngine, open_local
from weft.assembly.plan_tasks import TasksAsk, TasksPlan
from weft.assembly.recover import interrupted_runs
from weft.assembly.resume_tasks import EarlierResults, end_in, leave_out_done, plan_again
from weft.assembly.spent import unpriced_warnings
from weft.cli.chosen import run_named
from weft.cli.drive_tasks import Conclude, Show, TasksDisplay, drive_tasks
from weft.cli.printing import note
from weft.errors import ExitCode, UsageError
from weft.model.ids import RunId
from weft.model.plan import Plan
from weft.settings.environment import Environment


def chosen_show(options: dict[str, Any]) -> Show:
    if options["quiet"] and options["as_json"]:
        raise UsageError("--quiet and --json exclude each other")
    return Show.QUIET if options["quiet"] else Show.JSON if options["as_json"] else Show.LINES


async def resumed(ask: TasksAsk, resume: str, made: TasksPlan | None) -> TasksPlan:
    """`made`: what a file that is given too says; else the tasks are those of the earlier run."""
    with open_history(ask.environment) as history:
        earlier = run_named(history, resume).run
        if made is None:
            plan = plan_again(history, earlier, ask.run)
            plan = governed(plan, ask.loaded, override_usage=ask.override_usage)
            made = TasksPlan(msgspec.structs.replace(plan, command=ask.command))
        else:
            made = msgspec.structs.replace(made, plan=leave_out_done(made.plan, history, earlier))
        await end_in(history, earlier, made.plan)
    return made


async def start_tasks(
    made: TasksPlan,
    run: RunId,
    display: TasksDisplay,
    environment: Environment,
    *,
    command: str,
    conclude: Conclude | None = None,
) -> ExitCode:
    for warning in [*made.warnings, *unpriced_warnings(made.plan)]:
        note(f"warning: {warning}")
    async with open_local(environment) as local:
        _warn_interrupted(local, made.plan)
        started = await local.start(made.plan, run)
        earlier = EarlierResults(local.journal)
        code = await drive_tasks(local, started, display, environment, earlier=earlier, conclude=conclude)
    if code is not ExitCode.OK:
        note(f"next: weft logs {run}")
        if command != "compare":
            note(f"next: weft {command} --resume {run}")
    return code


def _warn_interrupted(local: LocalEngine, plan: Plan) -> None:
    folders = {repo.path for repo in plan.repos}
    for record in interrupted_runs(local.journal, local.layout):
        if folders.intersection(record.repos):
            note(f"note: run {record.run} was interrupted here; `weft recover {record.run}` goes on with it")
