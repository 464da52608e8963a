"""`weft demo`: the whole trip in a made-up repo, without a key."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import click

from weft.assembly.ask_run import RunAsk, plan_for
from weft.assembly.demo.repo import ISSUES, make_demo
from weft.assembly.local import open_journal, open_local
from weft.cli.caller import pass_environment
from weft.cli.drive import Display, Show, drive
from weft.errors import ExitCode, UsageError
from weft.settings.environment import Environment
from weft.settings.load import load

NEXT = """
What to look at next:
  cd {repo} && export WEFT_HOME={home}
  git log --oneline --graph weft/demo  six branches, merged one after the other, each tested as it landed
  git diff main weft/demo              what all of it comes to; main itself was not touched
  weft report                          every phase, attempt and gate of this run
  weft diff 102                        the issue that qa sent back once, and how it was mended
  weft logs {run} 102                  what happened to it, event by event
  weft run "add a --version flag"      the same with a prompt (the scripted agent will say it has no script for it)
All of it is in {folder}; remove that folder and nothing is left.
"""


@click.command(name="demo")
@click.option("--folder", type=click.Path(path_type=Path), help="Where to make the repo (default: a temporary folder).")
@click.option("--board", is_flag=True, help="Show a live board instead of lines.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document at the end.")
@pass_environment
def command(environment: Environment, folder: Path | None, board: bool, as_json: bool) -> int:
    """See the whole trip: six issues of a made-up repo, done by an embedded agent that follows a script.

    No key, no network, under a minute. One issue fails its tests at first and is sent back; what passes is merged
    into a branch of its own, `weft/demo`, one issue after the other.
    """
    if board and as_json:
        raise UsageError("--board and --json exclude each other")
    place = _place(folder, environment)
    show = Show.BOARD if board else Show.JSON if as_json else Show.LINES
    return asyncio.run(_demo(place, environment, Display(show)))


def _place(folder: Path | None, environment: Environment) -> Path:
    if folder is None:
        return Path(tempfile.mkdtemp(prefix="weft-demo-"))
    place = (environment.folder / folder).absolute()
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise UsageError(f"--folder {folder}: must be a folder that is empty or not there yet")
    place.mkdir(parents=True, exist_ok=True)
    return place


async def _demo(folder: Path, environment: Environment, display: Display) -> ExitCode:
    repo = await make_demo(folder, environment.variables)
    home = folder / "state"
    here = Environment(_undisturbed(environment, home), repo)
    loaded = load(here)
    with open_journal(here) as journal:
        plan = await plan_for(RunAsk(ISSUES, command="weft demo"), loaded, here, journal)
    click.echo(f"A made-up repo with six issues, in {repo}", err=True)
    async with open_local(here) as local:
        run = await local.start(plan)
        code = await drive(local, run, display, here)
    if display.show is not Show.JSON:
        click.echo(NEXT.format(repo=repo, home=home, run=run.id, folder=folder), err=True)
    return code


def _undisturbed(environment: Environment, home: Path) -> dict[str, str]:
    """The demo has a state folder of its own, and no settings of the user's change it."""
    kept = {name: value for name, value in environment.variables.items() if not name.startswith("WEFT_")}
    return {**kept, "WEFT_HOME": str(home), "XDG_CONFIG_HOME": str(home / "config")}
