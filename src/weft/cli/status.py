"""`weft status`: what needs a person, runs under way, recent runs."""

from __future__ import annotations

import sys
import time

import click

from weft.assembly.history import History, open_history
from weft.board.document import status_document
from weft.board.inbox import inbox
from weft.board.views import RunView
from weft.cli.caller import pass_environment
from weft.cli.chosen import run_named
from weft.cli.printing import note, print_json, print_text, stdout_glyphs
from weft.cli.warnings import warn_of_locks
from weft.errors import UsageError
from weft.ports import RunRecord
from weft.settings.environment import Environment
from weft.terminal.status import status_text
from weft.terminal.summary import summary

RECENT = 10
"""Ended runs that are shown without `--all`."""


@click.command(name="status")
@click.argument("run", required=False, metavar="[RUN]")
@click.option("--all", "everything", is_flag=True, help="All runs there ever were, not only the latest ten.")
@click.option("--watch", is_flag=True, help="Keep it on the screen until the run ends, or Ctrl-C.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_environment
def command(environment: Environment, run: str | None, everything: bool, watch: bool, as_json: bool) -> None:
    """Show what needs a person, the runs under way, and recent ones.

    Works with no run under way and after a crash: everything is read from the journal. Saved work is named by its ref:
    `git log refs/weft/saved/...` shows it.

    \b
    Examples:
      weft status
      weft status r-k3m9x2ab
      weft status --watch
      weft status --json | jq '.inbox[] | {job, reason}'
    """
    if watch and as_json:
        raise UsageError("--watch and --json exclude each other", hint="`weft logs --follow --json` streams events")
    if run is not None and everything:
        raise UsageError("RUN and --all exclude each other")
    with open_history(environment) as history:
        if watch:
            _watch(history, environment, run)
        else:
            warn_of_locks(environment, {record.run for record in history.under_way()})
            _show(history, run, everything=everything, as_json=as_json)


def _show(history: History, run: str | None, *, everything: bool, as_json: bool) -> None:
    records = history.records()
    chosen = [run_named(history, run)] if run is not None else records if everything else _recent(records)
    views = history.views(chosen)
    now = time.time()
    items = inbox(views, history.journal.answers(), now)
    if as_json:
        print_json(status_document(views, now, items))
        return
    print_text(status_text(views, now, stdout_glyphs(), items))
    if run is not None:
        print_text("\n" + _jobs(views[0]))
    elif len(records) > len(chosen):
        note(f"hint: `weft status --all` shows {len(records) - len(chosen)} older runs too")


def _recent(records: list[RunRecord]) -> list[RunRecord]:
    """All that have not ended, and the latest of those that have."""
    ended = [record for record in records if record.ended_at is not None][:RECENT]
    return [record for record in records if record.ended_at is None or record in ended]


def _jobs(view: RunView) -> str:
    return summary(view, stdout_glyphs())


def _watch(history: History, environment: Environment, run: str | None) -> None:
    from weft.cli.watch import watch_runs  # here: the board is slow to import

    if not sys.stdout.isatty():
        raise UsageError(
            "--watch needs a terminal", hint="`weft logs --follow` prints what happens line by line, also to a file"
        )
    records = [run_named(history, run)] if run is not None else history.under_way()
    if not records:
        note("No run is under way")
        _show(history, None, everything=False, as_json=False)
        return
    watch_runs(history, environment, [record.run for record in records])
