"""`weft recover`: what an interrupted run left, and going on with it (RECOVER-1 to 6)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from weft.assembly.ground import open_repository
from weft.assembly.history import History, open_history
from weft.assembly.local import open_local
from weft.assembly.project_recovery import holding_projects
from weft.assembly.recover import go_on, interrupted_runs
from weft.assembly.reports import write_reports
from weft.assembly.wave import repo_folder
from weft.board.document import Document, run_document
from weft.board.views import RunView
from weft.cli.caller import pass_environment
from weft.cli.chosen import run_named
from weft.cli.conclude_wave import handoff_document, handoff_text, handoffs_of
from weft.cli.drive import Display, Show, conclude, see_through
from weft.cli.printing import note, print_json, print_text
from weft.cli.recovery_plan import recovery_document, recovery_text
from weft.errors import DefectError, ExitCode, UsageError
from weft.model.ids import RunId
from weft.model.plan import Mode
from weft.ports import RunRecord
from weft.settings.environment import Environment
from weft.settings.load import load

STOPPED = (ExitCode.INTERRUPTED, ExitCode.TERMINATED)
WORST_FIRST = (*STOPPED, ExitCode.FAILED, ExitCode.BUDGET, ExitCode.LOCKED, ExitCode.OK)


@click.command(name="recover")
@click.argument("run", required=False, metavar="[RUN]")
@click.option("--dry-run", is_flag=True, help="Show what is left and what would be done, and change nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document at the end.")
@pass_environment
def command(environment: Environment, run: str | None, dry_run: bool, as_json: bool) -> int:
    """Go on with what an interrupted run left, without asking.

    Without RUN: every interrupted run of this repo, or of the repos that its weft.toml lists for waves, the oldest
    first. What finished is not done again; work in the
    middle of a session is saved to a ref, and its phase starts again. The exit code is the run's.

    With --json it prints the whole run as `weft run --json` does, jobs that had ended before included; of several
    runs, or none: {"runs": [...]}.

    \b
    Examples:
      weft recover
      weft recover --dry-run
      weft recover r-k3m9x2ab --json
    """
    with open_history(environment) as history:
        records = asyncio.run(_chosen(history, environment, run))
        if dry_run:
            _show_plan(history, records, as_json=as_json)
            return ExitCode.OK
    if not records:
        return _nothing(as_json=as_json)
    return asyncio.run(_recover([record.run for record in records], environment, as_json=as_json))


async def _chosen(history: History, environment: Environment, run: str | None) -> list[RunRecord]:
    if run is not None:
        return _named(history, run)
    found = interrupted_runs(history.journal, history.layout)
    here = await _here(environment)
    chosen = [record for record in found if here.intersection(record.repos)]
    for record in found:
        if record not in chosen:
            place = ", ".join(record.repos)
            note(f"note: run {record.run} in {place} was interrupted; `weft recover {record.run}` goes on with it")
    return chosen


def _named(history: History, run: str) -> list[RunRecord]:
    """One that has ended needs nothing; one that a process has is refused when it is claimed."""
    record = run_named(history, run)
    if record.ended_at is None:
        return [record]
    note(f"Run {record.run} has ended; `weft report {record.run}` shows its outcome")
    return []


async def _here(environment: Environment) -> set[str]:
    """This folder, its repo, and the repos of its waves."""
    folders = [environment.folder, *_repos_of_waves(environment)]
    return {str(environment.folder.resolve()), *[str(await _root(environment, folder)) for folder in folders]}


def _repos_of_waves(environment: Environment) -> list[Path]:
    """None where settings are wrong: what was interrupted did not need them as they are now."""
    try:
        loaded = load(environment)
    except UsageError:
        return []
    return [repo_folder(said, loaded.folder, environment) for said in loaded.settings.repos]


async def _root(environment: Environment, folder: Path) -> Path | None:
    try:
        return (await open_repository(environment, folder)).facts.root
    except UsageError:
        return None


def _show_plan(history: History, records: list[RunRecord], *, as_json: bool) -> None:
    if as_json:
        print_json({"runs": [recovery_document(history, record) for record in records]})
    elif not records:
        print_text("Nothing to recover\n")
    else:
        print_text("\n".join(recovery_text(history, record) for record in records))


def _nothing(*, as_json: bool) -> ExitCode:
    if as_json:
        print_json({"runs": []})
    else:
        print_text("Nothing to recover\n")
    return ExitCode.OK


async def _recover(runs: list[RunId], environment: Environment, *, as_json: bool) -> ExitCode:
    """One after the other; a signal ends the one under way and leaves the rest."""
    display = Display(Show.JSON if as_json else Show.LINES)
    views: list[RunView] = []
    documents: list[Document] = []
    for run in runs:
        async with open_local(environment) as local, holding_projects(local.journal, environment, run):
            note(f"Going on with run {run}")
            board = await see_through(local, await go_on(local, run), display, environment)
            handoffs = handoffs_of(local, board)
        views.append(board.view)
        documents.append(run_document(board.view) | (handoff_document(handoffs) if handoffs else {}))
        reports = write_reports(board.view, local.layout) if board.view.mode is Mode.PROJECTS else []
        if not as_json:
            conclude(board, display, reports)
            print_text(handoff_text(handoffs))
        if _code(board.view) in STOPPED:
            break
    if as_json:
        print_json(documents[0] if len(runs) == 1 else {"runs": documents})
    return min((_code(view) for view in views), key=WORST_FIRST.index)


def _code(view: RunView) -> ExitCode:
    if view.exit_code is None:
        raise DefectError(f"run {view.run} has no end")
    return view.exit_code
