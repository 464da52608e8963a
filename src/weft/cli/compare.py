"""`weft compare`: the same prompt on several agents at once, side by side (TASK-13)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import click
import msgspec

from weft.assembly.new_run import new_run_id
from weft.assembly.plan_compare import all_backends, compare_plan
from weft.assembly.plan_tasks import TasksAsk
from weft.cli.caller import command_line, pass_environment
from weft.cli.conclude_compare import conclude_compare
from weft.cli.drive_tasks import Show, TasksDisplay
from weft.cli.printing import note
from weft.cli.start_tasks import chosen_show, start_tasks
from weft.cli.task_input import FORMATS, decoded, output_dir, read_given
from weft.errors import ExitCode, UsageError
from weft.settings.environment import Environment
from weft.settings.load import Flag, Loaded, load
from weft.sources.task_check import Problems
from weft.sources.task_fields import TaskEntry
from weft.sources.task_file import Checked, check_compare, refuse
from weft.sources.task_text import format_of

_FOR_ALL = ("timeout", "output_dir", "schema_")


class Comparison(msgspec.Struct, frozen=True):
    where: str
    backends: tuple[str, ...]
    judge: str | None
    task: dict[str, Any]
    """What every agent is told: prompt and options."""
    whole: dict[str, Any]
    """What holds for all of it."""


@click.command(name="compare")
@click.argument("prompt", required=False, metavar="[PROMPT]")
@click.option("--backends", metavar="NAMES", help="The agents, such as claude,codex.")
@click.option("--all-backends", is_flag=True, help="Every agent that can run here.")
@click.option("--file", "file", metavar="FILE", help="A compare file, or a text with the prompt; `-`: stdin.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="What the file is written in.")
@click.option("--judge", metavar="NAME", help="The agent that ranks the answers, without knowing whose they are.")
@click.option("--workdir", metavar="FOLDER", help="The folder to work in.")
@click.option("--timeout", metavar="TIME", help="How long each may take (default 30m).")
@click.option("--output-dir", metavar="FOLDER", help="A folder for summary.json and one file per agent.")
@click.option("--override-usage", is_flag=True, help="Take no notice of the usage meter of `[usage]`.")
@click.option("--quiet", is_flag=True, help="Print the line with the total alone.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document at the end.")
@pass_environment
def command(environment: Environment, prompt: str | None, **options: Any) -> int:
    """Give several agents the same prompt at once, and show their answers side by side.

    When one fails, the others go on. `weft schema compare` prints what a compare file may hold.

    \b
    Examples:
      weft compare --backends claude,codex "explain the retry logic"
      weft compare --all-backends --judge claude --file question.md
      weft compare --file compare.yaml --json | jq '.judge.ranking[0].backend'
    """
    show = chosen_show(options)
    timeout = options["timeout"]
    loaded = load(environment, flags={} if timeout is None else {"parallel.timeout": Flag("--timeout", timeout)})
    asked = _asked(prompt, options, loaded, environment)
    return asyncio.run(_run(asked, loaded, environment, show, options))


async def _run(
    asked: Comparison, loaded: Loaded, environment: Environment, show: Show, options: dict[str, Any]
) -> ExitCode:
    run = new_run_id()
    ask = TasksAsk(loaded, environment, run, asked.where, command_line(), options["override_usage"])
    made = await compare_plan(ask, _tasks(asked), asked.judge)
    folder = output_dir(options, environment) or made.output_dir
    display = TasksDisplay(show, loaded.settings.parallel.aggregate_output, folder)
    return await start_tasks(made, run, display, environment, command="compare", conclude=conclude_compare)


def _asked(prompt: str | None, options: dict[str, Any], loaded: Loaded, environment: Environment) -> Comparison:
    """The file first, then what the command line says otherwise."""
    file = options["file"]
    if (prompt is None) == (file is None):
        said = "both a PROMPT and a --file" if prompt is not None else "neither a PROMPT nor a --file"
        raise UsageError(f"There is {said}", hint='`weft compare --backends claude,codex "PROMPT"`')
    values: dict[str, Any] = {"prompt": prompt}
    where = "command line"
    if file is not None:
        where, values = _from_file(options, environment)
    if options["workdir"] is not None:
        values["workdir"] = options["workdir"]
    whole = {name: values.pop(name) for name in _FOR_ALL if name in values}
    listed = values.pop("backends", ())
    judge = values.pop("judge", None)
    backends = _backends(options, listed, loaded, environment)
    return Comparison(where, backends, options["judge"] or judge, values, whole)


def _from_file(options: dict[str, Any], environment: Environment) -> tuple[str, dict[str, Any]]:
    given = read_given(options["file"], options["form"], environment, command="compare")
    if given.form is None and format_of(options["file"][options["file"].rfind(".") :]) is None:
        try:
            return given.where, {"prompt": given.data.decode("utf-8-sig")}
        except UnicodeDecodeError:
            raise UsageError(f"{given.where}: not UTF-8 text") from None
    values, problems = check_compare(decoded(given, None), given.where)
    refuse(problems, "compare")
    return given.where, values


def _backends(
    options: dict[str, Any], listed: Sequence[str], loaded: Loaded, environment: Environment
) -> tuple[str, ...]:
    named = options["backends"]
    if options["all_backends"]:
        if named is not None:
            raise UsageError("--backends and --all-backends exclude each other")
        found, missing = all_backends(loaded, environment.variables)
        if missing:
            note(f"note: left out, since they cannot run here: {', '.join(missing)}")
        return tuple(found)
    names = tuple(listed) if named is None else tuple(name.strip() for name in named.split(",") if name.strip())
    if not names:
        raise UsageError("No agents to compare", hint="`--backends claude,codex`, or `--all-backends`")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"`{twice}` is named twice among the agents to compare")
    return names


def _tasks(asked: Comparison) -> Checked[TaskEntry]:
    """A task for each agent, called by its name."""
    entries: list[TaskEntry | None] = [
        TaskEntry(backend=name, id=name, name=name, **asked.task) for name in asked.backends
    ]
    return Checked("backends", asked.whole, entries, Problems(asked.where))
