"""`weft wave plan` and `weft wave run`: from the command line to a plan, a question, and a run."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from typing import Any

from weft.assembly.expectation import Timed
from weft.assembly.history import History, open_history
from weft.assembly.local import layout_of, open_journal, open_local
from weft.assembly.plan_wave import WaveAsk, plan_wave
from weft.assembly.wave_outlook import WaveOutlook, wave_outlook
from weft.cli.caller import command_line
from weft.cli.conclude_wave import conclude_wave, handoffs_of
from weft.cli.confirming import confirmed
from weft.cli.drive import Display, Show, see_through
from weft.cli.dry_run import plan_document
from weft.cli.interrupted import interrupted_in, take_over_interrupted, warn_interrupted
from weft.cli.planned import told_calls
from weft.cli.printing import note, print_json, print_text, stdout_glyphs
from weft.cli.run_options import display_of, flags_of, phases_of, refuse_signal_without_force
from weft.cli.warnings import warn_before, warn_of_plan_locks
from weft.errors import ExitCode, UsageError
from weft.model.plan import Plan
from weft.settings.environment import Environment
from weft.settings.load import Loaded, load
from weft.settings.problem import Origin, OriginKind, wrong_value
from weft.settings.rules import POSITIVE
from weft.terminal.glyphs import glyphs_for
from weft.terminal.wave_plan import wave_plan_text

SETTINGS = {"agent": "agent", "quality_loop": "run.quality_loop", "retry": "run.retry"}
"""Flags that stand for a setting."""


def show_wave(environment: Environment, wave: str, options: Mapping[str, Any]) -> ExitCode:
    loaded = load(environment, flags=flags_of(options, {"agent": "agent"}))
    return asyncio.run(_show(_ask(wave, options), loaded, environment, as_json=options["as_json"]))


def run_wave(environment: Environment, wave: str, options: Mapping[str, Any]) -> ExitCode:
    display = display_of(options)
    refuse_signal_without_force(options)
    ask = _ask(wave, options)
    loaded = load(environment, flags=flags_of(options, SETTINGS))
    if options["dry_run"]:
        return asyncio.run(_show(ask, loaded, environment, as_json=display.show is Show.JSON))
    if not options["yes"] and not _can_ask():
        raise UsageError(
            "`weft wave run` asks before it starts, and there is no terminal to ask on",
            hint="`--yes` starts without asking; `weft wave plan` shows what would run",
        )
    return asyncio.run(_run(ask, loaded, environment, display, asks=not options["yes"]))


async def _show(ask: WaveAsk, loaded: Loaded, environment: Environment, *, as_json: bool) -> ExitCode:
    with open_history(environment) as history:
        wave = await _planned(ask, loaded, environment, history)
        warn_before(wave.plan)
        warn_of_plan_locks(wave.plan)
        warn_interrupted(history.journal, environment, wave.plan)
        found = wave_outlook(wave, history)
        if as_json:
            dead = [record.run for record in interrupted_in(history.journal, environment, wave.plan)]
            print_json(_document(found) | {"interrupted_runs": dead})
        else:
            print_text(wave_plan_text(found, stdout_glyphs()) + "\nNothing was changed\n")
    return ExitCode.OK


async def _run(ask: WaveAsk, loaded: Loaded, environment: Environment, display: Display, *, asks: bool) -> ExitCode:
    with open_journal(environment) as journal:
        history = History(journal, layout_of(environment))
        wave = await _planned(ask, loaded, environment, history)
        warn_before(wave.plan)
        if display.show is Show.LINES or asks:
            _tell(wave, history)
        if asks and not confirmed("Start it?", default=False):
            note("Nothing was started")
            return ExitCode.OK
        await take_over_interrupted(journal, environment, wave.plan)
    return await _carry_out(wave.plan, environment, display)


async def _planned(ask: WaveAsk, loaded: Loaded, environment: Environment, history: History) -> Timed:
    wave = await plan_wave(ask, loaded, environment, history, note)
    told_calls(wave.plan)
    return wave


async def _carry_out(plan: Plan, environment: Environment, display: Display) -> ExitCode:
    async with open_local(environment) as local:
        run = await local.start(plan)
        board = await see_through(local, run, display, environment)
        handoffs = handoffs_of(local, board)
    return conclude_wave(board, display, handoffs)


def _tell(wave: Timed, history: History) -> None:
    """On stderr: what goes to stdout is the summary, or JSON."""
    note(wave_plan_text(wave_outlook(wave, history), glyphs_for(sys.stderr.encoding)))


def _can_ask() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def _ask(wave: str, options: Mapping[str, Any]) -> WaveAsk:
    return WaveAsk(
        wave=wave,
        cap=_cap(options["cap"]),
        phases=phases_of(options["phases"]),
        force=options["force"],
        signal_other=options.get("signal_other", False),
        override_usage=options.get("override_usage", False),
        command=command_line(),
    )


def _cap(text: str | None) -> int | None:
    """WAVE-2: 1 is fully sequential, 0 is a mistake."""
    if text is None:
        return None
    value = POSITIVE.from_text(text.strip())
    try:
        return int(str(POSITIVE.read(value)))
    except ValueError:
        origin = Origin(OriginKind.FLAG, "--cap")
        raise UsageError(
            wrong_value(origin, ("cap",), text, POSITIVE.allowed), hint="`weft pause` starts nothing new in a run"
        ) from None


def _document(wave: WaveOutlook) -> dict[str, Any]:
    document = plan_document(wave.plan, wave.found)
    widths = {lane.name: lane.width for lane in wave.plan.lanes}
    estimate = document["estimate"] | {
        "work_seconds": wave.work if wave.timed else None,
        "wall_seconds": wave.makespan if wave.timed else None,
    }
    repos = [
        {
            "name": repo.name,
            "path": repo.path,
            "base": repo.base,
            "target": repo.merge.target if repo.merge else None,
            "width": widths.get(repo.name, 1),
        }
        for repo in wave.plan.repos
    ]
    return document | {"wave": wave.plan.name, "estimate": estimate, "repos": repos}
