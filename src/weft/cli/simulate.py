"""`weft simulate PLAN`: the same scheduler in virtual time (PLAN-2)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from weft.assembly.history import open_history
from weft.assembly.simulation import Played, enough, play
from weft.assembly.simulation_plan import Scenario, scenario_of
from weft.assembly.simulation_timeline import timeline_of
from weft.board.timeline_svg import timeline_svg
from weft.cli.caller import pass_environment
from weft.cli.printing import note, print_json, print_text, stdout_glyphs
from weft.cli.simulate_document import simulation_document
from weft.cli.simulate_options import caps_of, model_of
from weft.errors import UsageError
from weft.settings.environment import Environment
from weft.terminal.simulation import simulation_text


@click.command(name="simulate")
@click.argument("plan", nargs=-1, required=True, metavar="PLAN...")
@click.option("--cap", metavar="N", help="How many jobs may be active (default: as the plan says).")
@click.option("--caps", metavar="LIST", help="Try several caps, such as 1-8 or 1,2,4.")
@click.option(
    "--estimate",
    "estimates",
    multiple=True,
    metavar="[WHAT=]TIME",
    help="How long a phase takes (exec=20m), a job (job=1h), the gates of the merge queue (gates=3m), or any phase "
    "that history says nothing about (15m). May be repeated.",
)
@click.option("--spread", metavar="PERCENT", help="Each phase takes up to this much longer or shorter (default 0).")
@click.option(
    "--seed", type=int, default=1, metavar="N", help="Another number, other chances for --spread (default 1)."
)
@click.option("--svg", metavar="FILE", help="Write a timeline: a row per lane, a bar per job.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_environment
def command(environment: Environment, plan: tuple[str, ...], **options: Any) -> None:
    """Play a plan through in no time: the scheduler decides as in a run, everything succeeds, nothing is done.

    PLAN is a milestone's name or a plan file as for `weft wave`, a run's id (with the times it really took), or issues
    as for `weft run`. Durations and cost are from history where there is any.

    \b
    Examples:
      weft simulate M1
      weft simulate M1 --caps 1-8 --estimate 20m
      weft simulate 101 102 103 --estimate exec=30m --spread 40%
      weft simulate r-k3m9x2ab --cap 6 --svg timeline.svg
    """
    caps = caps_of(options["cap"], options["caps"])
    model = model_of(options["estimates"], options["spread"], options["seed"])
    with open_history(environment) as history:
        scenario = asyncio.run(scenario_of(plan, environment, history, model))
    _refuse_unknown_phases(scenario, model.phases)
    played = [play(scenario.plan, scenario.times, cap) for cap in caps or (scenario.plan.cap,)]
    if options["as_json"]:
        print_json(simulation_document(scenario, played))
    else:
        print_text(simulation_text(scenario, played, stdout_glyphs()))
    if options["svg"]:
        _draw(scenario, played, environment.folder / options["svg"])


def _refuse_unknown_phases(scenario: Scenario, said: Any) -> None:
    known = dict.fromkeys(phase.name for line in scenario.plan.pipelines for phase in line.phases)
    unknown = [name for name in said if name not in known]
    if unknown:
        names = ", ".join(f"`{name}`" for name in ("job", "gates", *known))
        raise UsageError(f"--estimate {unknown[0]}=…: the plan has no such phase", hint=f"there are {names}")


def _draw(scenario: Scenario, played: Sequence[Played], path: Path) -> None:
    """Of several caps the one that is enough. Written aside and moved into place."""
    one = enough(played)
    aside = path.with_name(f".{path.name}.part")
    try:
        aside.write_text(timeline_svg(timeline_of(one, scenario.plan)), encoding="utf-8")
        aside.replace(path)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise UsageError(f"--svg {path}: cannot be written: {error.strerror}") from None
    note(f"The timeline with a cap of {one.cap} is in `{path}`")
