"""`weft wave`: the issues of several repos, in dependency order, merged repo by repo."""

from __future__ import annotations

from typing import Any

import click

from weft.cli.caller import pass_environment
from weft.cli.run_options import display_options, how_options
from weft.settings.environment import Environment


@click.group(name="wave", no_args_is_help=False)
def command() -> None:
    """Take the issues of several repos through the pipeline: repos at once, issues of one repo one after the other.

    A wave is a milestone of the same name in every repo under `[[repos]]` in weft.toml, or a plan file (TOML, YAML or
    JSON). Issues may depend on issues of other repos. What passes is merged into one branch per repo.

    \b
    Examples:
      weft wave plan M1
      weft wave run M1 --cap 2
      weft wave status
    """


@command.command(name="plan")
@click.argument("wave", metavar="NAME|FILE")
@click.option("--cap", metavar="N", help="How many issues may be worked on at once (default: as many as repos).")
@click.option("--phases", metavar="NAMES", help="Only these phases of the pipeline, such as spec,exec.")
@click.option("--agent", metavar="NAME", help="Who does the work (default: `agent` in weft.toml).")
@click.option("--force", is_flag=True, help="Also count issues in that are finished already.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_environment
def plan(environment: Environment, wave: str, **options: Any) -> int:
    """Show a wave's order, levels, critical path and how long it may take, and change nothing.

    \b
    Examples:
      weft wave plan M1
      weft wave plan billing.toml --cap 1
      weft wave plan M1 --json | jq '.levels'
    """
    from weft.cli.wave_run import show_wave

    return show_wave(environment, wave, options)


@command.command(name="run")
@click.argument("wave", metavar="NAME|FILE")
@click.option("--cap", metavar="N", help="How many issues may be worked on at once (default: as many as repos).")
@click.option("--yes", is_flag=True, help="Do not ask before it starts.")
@click.option("--phases", metavar="NAMES", help="Only these phases of the pipeline, such as spec,exec.")
@click.option("--agent", metavar="NAME", help="Who does the work (default: `agent` in weft.toml).")
@how_options
@click.option("--dry-run", is_flag=True, help="As `weft wave plan`: show what would run, and change nothing.")
@display_options
@pass_environment
def run(environment: Environment, wave: str, **options: Any) -> int:
    """Show the plan, ask, and carry it out. Without a terminal to ask on it needs --yes.

    \b
    Examples:
      weft wave run M1
      weft wave run M1 --cap 1 --yes
      weft wave run billing.toml --yes --json | jq '.jobs[] | {key, status}'
    """
    from weft.cli.wave_run import run_wave

    return run_wave(environment, wave, options)


@command.command(name="status")
@click.argument("wave", required=False, metavar="[NAME]")
@click.option("--all", "everything", is_flag=True, help="Every run of every wave, not only the latest of each.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_environment
def status(environment: Environment, wave: str | None, everything: bool, as_json: bool) -> int:
    """Show the waves under way and those that ended: per repo what is done, merged, queued, parked and left.

    NAME is a wave's name or a run's id.

    \b
    Examples:
      weft wave status
      weft wave status M1 --json | jq '.waves[0].repos[] | {name, done, left}'
    """
    from weft.cli.wave_status import show_status

    return show_status(environment, wave, everything=everything, as_json=as_json)
