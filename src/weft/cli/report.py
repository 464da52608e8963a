"""`weft report`: one run from first to last."""

from __future__ import annotations

import time

import click

from weft.assembly.history import open_history
from weft.board.document import run_document
from weft.board.report_markdown import report_markdown
from weft.cli.caller import pass_environment
from weft.cli.chosen import run_or_latest
from weft.cli.cost import report_cost
from weft.cli.printing import print_json, print_text, stdout_glyphs
from weft.errors import UsageError
from weft.settings.environment import Environment
from weft.terminal.report import report_text


@click.command(name="report")
@click.argument("run", required=False, metavar="[RUN]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document, as `weft run --json` does.")
@click.option("--markdown", is_flag=True, help="Print Markdown, to keep or to paste.")
@click.option("--cost", is_flag=True, help="Show what sessions cost, by job, agent, model and day.")
@click.option("--since", metavar="DURATION", help="With --cost: only runs started within this time, such as 7d.")
@pass_environment
def command(
    environment: Environment, run: str | None, as_json: bool, markdown: bool, cost: bool, since: str | None
) -> None:
    """Show a run's outcome: every job, phase and attempt, what it cost, where its work is.

    RUN is a run's id, as `weft status` shows it; without one it is the latest run here, and with --cost all runs
    that the journal has.

    \b
    Examples:
      weft report
      weft report r-k3m9x2ab --markdown > report.md
      weft report --cost --since 7d
      weft report --json | jq '.jobs[] | select(.status == "failed")'
    """
    if as_json and markdown:
        raise UsageError("--json and --markdown exclude each other")
    if since is not None and not cost:
        raise UsageError("--since goes with --cost")
    if cost:
        report_cost(environment, run, since, as_json=as_json)
        return
    with open_history(environment) as history:
        view = history.view(run_or_latest(history, environment, run).run)
    if as_json:
        print_json(run_document(view, now=time.time()))
    else:
        print_text(report_markdown(view) if markdown else report_text(view, stdout_glyphs()))
