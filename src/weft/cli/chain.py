"""`weft chain`: prompts one after the other, each with what was said before (TASK-12)."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from weft.assembly.new_run import new_run_id
from weft.assembly.plan_tasks import TasksAsk, chain_plan
from weft.cli.caller import command_line, pass_environment
from weft.cli.drive_tasks import Show, TasksDisplay
from weft.cli.start_tasks import chosen_show, resumed, start_tasks
from weft.cli.task_input import FORMATS, Given, decoded, output_dir, read_given
from weft.errors import ExitCode
from weft.settings.environment import Environment
from weft.settings.load import Flag, Loaded, load
from weft.sources.task_file import check_chain

Options = dict[str, Any]


@click.command(name="chain")
@click.option("--file", "file", metavar="FILE", help="The chain file; `-` or nothing: stdin.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="What it is written in (default: by its ending).")
@click.option("--timeout", metavar="TIME", help="How long a step may take that does not say so itself (default 30m).")
@click.option("--output-dir", metavar="FOLDER", help="A folder for summary.json and one file per step.")
@click.option("--resume", metavar="RUN", help="Go on where that run's chain ended; with --file: with that file.")
@click.option("--override-usage", is_flag=True, help="Take no notice of the usage meter of `[usage]`.")
@click.option("--quiet", is_flag=True, help="Print the line with the total alone.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document at the end.")
@pass_environment
def command(environment: Environment, file: str | None, form: str | None, **options: Any) -> int:
    """Run prompts one after the other, each with what was said before.

    In a step's prompt {{previous}} stands for the output of the step before, {{steps.NAME.output}} for that of a named
    one. The first step that fails ends the chain. `weft schema chain` prints what the file may hold.

    \b
    Examples:
      weft chain --file release-notes.json
      weft chain --file analyze.yaml --json | jq -r '.results[-1].output'
    """
    show = chosen_show(options)
    timeout = options["timeout"]
    loaded = load(environment, flags={} if timeout is None else {"parallel.timeout": Flag("--timeout", timeout)})
    steps_of_run = options["resume"] is not None and file is None
    given = None if steps_of_run else read_given(file, form, environment, command="chain")
    return asyncio.run(_run(given, loaded, environment, show, options))


async def _run(given: Given | None, loaded: Loaded, environment: Environment, show: Show, options: Options) -> ExitCode:
    run = new_run_id()
    ask = TasksAsk(loaded, environment, run, given.where if given else "", command_line(), options["override_usage"])
    made = None
    if given is not None:
        made = await chain_plan(ask, check_chain(decoded(given, None), given.where))
    if options["resume"] is not None:
        made = await resumed(ask, options["resume"], made)
    assert made is not None
    folder = output_dir(options, environment) or made.output_dir
    display = TasksDisplay(show, loaded.settings.parallel.aggregate_output, folder, stepwise=True)
    return await start_tasks(made, run, display, environment, command="chain")
