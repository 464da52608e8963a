"""`weft projects`: maintenance over all the projects in the settings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

import click

from weft.assembly.projects import ProjectsAsk
from weft.cli import projects_look
from weft.cli.caller import command_line, pass_environment
from weft.cli.drive import Display, Show
from weft.cli.printing import note
from weft.errors import UsageError
from weft.settings.environment import Environment
from weft.settings.load import Flag, Loaded, load

C = TypeVar("C", bound=Callable[..., Any])

_SETTINGS = {
    "project_parallelism": "schedule.project_parallelism",
    "max_parallel_projects": "schedule.max_parallel_projects",
    "max_projects": "schedule.max_projects",
}


def _json_option(command: C) -> C:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


def _choosing(command: C) -> C:
    """What decides which projects and tasks there are to do, and how many at once."""
    for option in (
        click.option("--again", is_flag=True, help="Also what was done before: in this window, or not long ago."),
        click.option("--task", "tasks", multiple=True, metavar="NAME", help="Only this task, done before or not."),
        click.option("--max-projects", metavar="N", help="How many projects when they go one at a time (default 1)."),
        click.option("--max-parallel-projects", metavar="N", help="How many at once (default 5; 0: no limit)."),
        click.option(
            "--project-parallelism/--no-project-parallelism", default=None, help="Several projects at once, or one."
        ),
    ):
        command = option(command)
    return command


@click.group(name="projects", no_args_is_help=False)
def command() -> None:
    """Do maintenance tasks over all the projects in the settings.

    Projects are listed under [[projects]] in weft.toml, each with its tasks: built-in ones or your own under [tasks].

    \b
    Examples:
      weft projects list
      weft projects plan
      weft projects run --yes
      weft projects run --task lint-fix --project-parallelism
    """


@command.command(name="list")
@_json_option
@pass_environment
def list_(environment: Environment, as_json: bool) -> None:
    """Show the projects, and every task there is.

    \b
    Examples:
      weft projects list
      weft projects list --json | jq '.tasks[].name'
    """
    projects_look.show_list(load(environment), environment, as_json=as_json)


@command.command()
@_choosing
@_json_option
@pass_environment
def plan(environment: Environment, as_json: bool, **options: Any) -> None:
    """Show what a run would do now, and change nothing.

    \b
    Examples:
      weft projects plan
      weft projects plan --project-parallelism --max-parallel-projects 3
      weft projects plan --json | jq '.projects[] | select(.status == "skipped")'
    """
    loaded = _loaded(environment, options)
    asyncio.run(projects_look.show_plan(_ask(options), loaded, environment, as_json=as_json))


@command.command()
@_choosing
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--quiet", is_flag=True, help="Print the summary alone.")
@click.option("--verbose", is_flag=True, help="Also show what the agents print, each line under its task.")
@click.option("--board", is_flag=True, help="Show a live board instead of lines.")
@_json_option
@pass_environment
def run(environment: Environment, as_json: bool, yes: bool, **options: Any) -> int:
    """Do what is due: the tasks of each project one after the other, in worktrees of their own.

    It shows what it will do and asks; without a terminal it needs --yes. A project that had its run in the current
    window is skipped, and so is a task whose earlier change is not merged yet.

    \b
    Examples:
      weft projects run
      weft projects run --yes --json
      weft projects run --yes --project-parallelism --max-parallel-projects 3
      weft projects run --task docs-backfill --again
    """
    from weft.cli.projects_run import run_projects

    display = _display(as_json=as_json, **options)
    loaded = _loaded(environment, options)
    return asyncio.run(run_projects(_ask(options), loaded, environment, display, yes=yes))


def _ask(options: dict[str, Any]) -> ProjectsAsk:
    return ProjectsAsk(tasks=tuple(options["tasks"]), again=options["again"], command=command_line())


def _loaded(environment: Environment, options: dict[str, Any]) -> Loaded:
    flags = {
        key: Flag("--" + name.replace("_", "-"), options[name])
        for name, key in _SETTINGS.items()
        if options[name] is not None
    }
    loaded = load(environment, flags=flags)
    if options["max_parallel_projects"] is not None and not loaded.settings.schedule.project_parallelism:
        note("note: --max-parallel-projects has no effect while projects go one at a time; see --project-parallelism")
    return loaded


def _display(*, as_json: bool, quiet: bool, verbose: bool, board: bool, **_: Any) -> Display:
    shows = {"--json": as_json, "--quiet": quiet, "--board": board}
    given = [flag for flag, said in shows.items() if said]
    if len(given) + verbose > 1:
        raise UsageError(f"{' and '.join([*given, *(['--verbose'] if verbose else [])])} exclude each other")
    show = {"--json": Show.JSON, "--quiet": Show.QUIET, "--board": Show.BOARD}
    return Display(show[given[0]] if given else Show.LINES, verbose)
