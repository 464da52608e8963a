"""`weft projects run`: shows what it will do, asks, does it, and sums it up (PROJ-5, PROJ-7)."""

from __future__ import annotations

import sys

import click
import msgspec

from weft.assembly.history import History
from weft.assembly.local import LocalEngine, layout_of, open_journal
from weft.assembly.perform_projects import Performed, perform
from weft.assembly.plan_projects import projects_plan
from weft.assembly.preflight import Preflight, look_ahead
from weft.assembly.project_run import ProjectRun
from weft.assembly.projects import ProjectsAsk
from weft.board.document import Document
from weft.board.projects import projects_part
from weft.board.views import RunView
from weft.cli.confirming import confirmed
from weft.cli.drive import Display, Show, conclude_view, see_through
from weft.cli.printing import note, print_json, print_text
from weft.cli.warnings import warn_before
from weft.engine.run import Run
from weft.errors import ExitCode, UsageError
from weft.model.ids import RunId
from weft.model.plan import Mode
from weft.settings.environment import Environment
from weft.settings.load import Loaded
from weft.terminal.glyphs import glyphs_for
from weft.terminal.preflight import preflight_text


async def run_projects(
    ask: ProjectsAsk, loaded: Loaded, environment: Environment, display: Display, *, yes: bool
) -> ExitCode:
    with open_journal(environment) as journal:
        projects = ProjectRun(ask, loaded, environment, journal)
        for problem in await projects.fetch():
            note(f"warning: {problem}")
        candidates = await projects.look()
        plan = projects_plan(candidates, loaded, environment, ask.command)
        found = look_ahead(candidates, plan, loaded, History(journal, layout_of(environment)))
        _show(found, display)
        if found.nothing is not None:
            return _nothing(found, display)
        warn_before(plan)
        if not (yes or _asked()):
            note("Nothing was started")
            return ExitCode.OK
        done = await perform(projects, lambda local, run: _watch(local, run, display, environment), note)
    return _conclude(done, found, display)


async def _watch(local: LocalEngine, run: Run, display: Display, environment: Environment) -> RunView:
    return (await see_through(local, run, display, environment)).view


def _show(found: Preflight, display: Display) -> None:
    """On stderr: it is for people, and what a program reads comes at the end."""
    if display.show is not Show.QUIET:
        click.echo(preflight_text(found, glyphs_for(sys.stderr.encoding)), nl=False, err=True)
    elif found.warning:
        note(f"warning: {found.warning}")


def _asked() -> bool:
    if not sys.stdin.isatty():
        raise UsageError("projects run asks before it starts, and there is no terminal", hint="`--yes` does not ask")
    return confirmed("Start?", default=True)


def _conclude(done: Performed, found: Preflight, display: Display) -> ExitCode:
    if done.view is None:
        return _nothing(msgspec.structs.replace(found, candidates=done.candidates), display)
    return conclude_view(done.view, display, done.reports)


def _nothing(found: Preflight, display: Display) -> ExitCode:
    code = found.code_of_nothing
    if display.show is Show.JSON:
        print_json(_empty(found, code))
    else:
        print_text(f"Nothing ran because: {found.nothing}\n")
    return code


def _empty(found: Preflight, code: ExitCode) -> Document:
    """The shape of a run, of one that never was."""
    view = RunView(RunId(""), mode=Mode.PROJECTS, projects=tuple(candidate.project for candidate in found.candidates))
    return {
        "run": None,
        "mode": Mode.PROJECTS.value,
        "status": "failed" if code else "passed",
        "started_at": None,
        "ended_at": None,
        "duration_seconds": 0.0,
        "exit_code": int(code),
        "jobs": [],
        **projects_part(view),
        "nothing": found.nothing,
    }
