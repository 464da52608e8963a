"""`weft parallel`: the prompts of a task file, several at once (TASK-1 to TASK-11)."""

from __future__ import annotations

import asyncio
from typing import Any

import click
import msgspec

from weft.assembly.new_run import new_run_id
from weft.assembly.plan_tasks import TasksAsk, parallel_plan
from weft.cli.caller import command_line, pass_environment
from weft.cli.drive_tasks import Show, TasksDisplay
from weft.cli.start_tasks import chosen_show, resumed, start_tasks
from weft.cli.task_input import FORMATS, Given, decoded, output_dir, read_given
from weft.errors import ExitCode
from weft.model.plan import Plan, StopRule
from weft.settings.environment import Environment
from weft.settings.load import Flag, Loaded, load
from weft.sources.task_file import check_tasks

Options = dict[str, Any]


@click.command(name="parallel")
@click.option("--file", "file", metavar="FILE", help="The task file; `-` or nothing: stdin.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="What it is written in (default: by its ending).")
@click.option("--max-parallel", metavar="N", help="How many tasks may run at once (default 3).")
@click.option("--fail-fast/--no-fail-fast", default=None, help="Whether the first failure stops the rest.")
@click.option("--timeout", metavar="TIME", help="How long a task may take that does not say so itself (default 30m).")
@click.option("--output-dir", metavar="FOLDER", help="A folder for summary.json and one file per task.")
@click.option("--resume", metavar="RUN", help="Run what did not succeed in that run; with --file: of that file.")
@click.option("--override-usage", is_flag=True, help="Take no notice of the usage meter of `[usage]`.")
@click.option("--quiet", is_flag=True, help="Print the line with the total alone.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document at the end.")
@pass_environment
def command(environment: Environment, file: str | None, form: str | None, **options: Any) -> int:
    """Run the prompts of a task file, several at once.

    The file is JSON, YAML, TOML or JSON Lines (one task a line); `weft schema tasks` prints what it may hold.

    \b
    Examples:
      weft parallel --file tasks.json
      weft parallel --file tasks.yaml --max-parallel 5 --fail-fast
      weft parallel --resume r-k3m9x2ab
      ./make-tasks.py | weft parallel --json | jq '.results[].output'
    """
    show = chosen_show(options)
    loaded = load(environment, flags=_flags(options))
    tasks_of_run = options["resume"] is not None and file is None
    given = None if tasks_of_run else read_given(file, form, environment, command="parallel")
    return asyncio.run(_run(given, loaded, environment, show, options))


async def _run(given: Given | None, loaded: Loaded, environment: Environment, show: Show, options: Options) -> ExitCode:
    run = new_run_id()
    ask = TasksAsk(loaded, environment, run, given.where if given else "", command_line(), options["override_usage"])
    made = None
    if given is not None:
        made = await parallel_plan(ask, check_tasks(decoded(given, "tasks"), given.where))
    if options["resume"] is not None:
        made = await resumed(ask, options["resume"], made)
    assert made is not None
    if given is None:
        made = msgspec.structs.replace(made, plan=_by_flags(made.plan, loaded, options))
    folder = output_dir(options, environment) or made.output_dir
    display = TasksDisplay(show, loaded.settings.parallel.aggregate_output, folder)
    return await start_tasks(made, run, display, environment, command="parallel")


def _by_flags(plan: Plan, loaded: Loaded, options: Options) -> Plan:
    """The plan of an earlier run, but for what the command line says now."""
    settings = loaded.settings.parallel
    if options["max_parallel"] is not None:
        plan = msgspec.structs.replace(plan, cap=settings.max_workers)
    if options["fail_fast"] is not None:
        plan = msgspec.structs.replace(plan, stop=StopRule.FAIL_FAST if settings.fail_fast else StopRule.CONTINUE)
    return plan


def _flags(options: Options) -> dict[str, Flag]:
    keys = {"max_parallel": "max_workers", "fail_fast": "fail_fast", "timeout": "timeout"}
    return {
        f"parallel.{key}": Flag("--" + name.replace("_", "-"), options[name])
        for name, key in keys.items()
        if options.get(name) is not None
    }
