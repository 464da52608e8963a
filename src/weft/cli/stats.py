"""`weft stats`: what many runs come to."""

from __future__ import annotations

import time

import click

from weft.assembly.history import History, open_history
from weft.board.stats import Stats, gather, stats_document
from weft.cli.caller import pass_environment
from weft.cli.durations import seconds_of
from weft.cli.printing import print_json, print_text, stdout_glyphs
from weft.cli.warnings import warn_of_locks
from weft.settings.environment import Environment
from weft.terminal.statistics import stats_text


@click.command(name="stats")
@click.option("--since", metavar="DURATION", help="Only runs started within this time, such as 7d (default: all).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_environment
def command(environment: Environment, since: str | None, as_json: bool) -> None:
    """Show how well the work goes: success rates with n, transient failures, durations, cost.

    Rates are by mode (single, parallel, chain), by phase and by backend. All is read from the journal.

    \b
    Examples:
      weft stats
      weft stats --since 7d
      weft stats --since 12h --json
    """
    after = 0.0 if since is None else time.time() - seconds_of("--since", since)
    with open_history(environment) as history:
        warn_of_locks(environment, {record.run for record in history.under_way()})
        stats = _gathered(history, after)
    if as_json:
        print_json(stats_document(stats))
    else:
        print_text(stats_text(stats, stdout_glyphs()))


def _gathered(history: History, after: float) -> Stats:
    return gather(history.view(record.run) for record in history.records() if record.started_at >= after)
