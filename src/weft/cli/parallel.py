"""`weft parallel`: the prompts of a task file, several at once (TASK-1 to TASK-11)."""

from __future__ import annotations

import asyncio
import shlex
import sys
from typing import Any

import click
import msgspec

from weft.assembly.local import new_run_id, open_local
from weft.assembly.plan_tasks import TasksAsk, TasksPlan, parallel_plan
from weft.cli.caller import pass_environment
from weft.cli.drive_tasks import Show, TasksDisplay, drive_tasks
from weft.cli.printing import note
from weft.cli.task_input import Given, decoded, read_given
from weft.errors import ExitCode, UsageError
from weft.settings.environment import Environment
from weft.settings.load import Flag, Loaded, load
from weft.sources.task_file import check_tasks
from weft.sources.task_text import Format

FORMATS = [form.value for form in Format]


@click.command(name="parallel")
@click.option("--file", "file", metavar="FILE", help="The task file; `-` or nothing: stdin.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="What it is written in (default: by its ending).")
@click.option("--max-parallel", metavar="N", help="How many tasks may run at once (default 3).")
@click.option("--fail-fast/--no-fail-fast", default=None, help="Whether the first failure stops the rest.")
@click.option("--timeout", metavar="TIME", help="How long a task may take that does not say so itself (default 30m).")
@click.option("--output-dir", metavar="FOLDER", help="A folder for summary.json and one file per task.")
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
      ./make-tasks.py | weft parallel --json | jq '.results[].output'
    """
    show = chosen_show(options)
    loaded = load(environment, flags=_flags(options))
    given = read_given(file, form, environment, command="parallel")
    return asyncio.run(_run(given, loaded, environment, show, options))


async def _run(given: Given, loaded: Loaded, environment: Environment, show: Show, options: dict[str, Any]) -> ExitCode:
    run = new_run_id()
    ask = TasksAsk(loaded, environment, run, given.where, command_line())
    made = with_output_dir(await parallel_plan(ask, check_tasks(decoded(given, "tasks"), given.where)), options, ask)
    warn(made)
    aggregate = loaded.settings.parallel.aggregate_output
    async with open_local(environment) as local:
        display = TasksDisplay(show, aggregate, made.output_dir)
        return await drive_tasks(local, await local.start(made.plan, run), display, environment)


def _flags(options: dict[str, Any]) -> dict[str, Flag]:
    keys = {"max_parallel": "max_workers", "fail_fast": "fail_fast", "timeout": "timeout"}
    return {
        f"parallel.{key}": Flag("--" + name.replace("_", "-"), options[name])
        for name, key in keys.items()
        if options.get(name) is not None
    }


def chosen_show(options: dict[str, Any]) -> Show:
    if options["quiet"] and options["as_json"]:
        raise UsageError("--quiet and --json exclude each other")
    return Show.QUIET if options["quiet"] else Show.JSON if options["as_json"] else Show.LINES


def with_output_dir(made: TasksPlan, options: dict[str, Any], ask: TasksAsk) -> TasksPlan:
    given = options.get("output_dir")
    return made if given is None else msgspec.structs.replace(made, output_dir=ask.environment.folder / given)


def warn(made: TasksPlan) -> None:
    for warning in made.warnings:
        note(f"warning: {warning}")


def command_line() -> str:
    """For people who look at the run later."""
    return shlex.join(["weft", *sys.argv[1:]])
