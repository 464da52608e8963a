"""`weft report`: one run from first to last, in four forms, to the terminal or to a file."""

from __future__ import annotations

import time
from enum import Enum
from pathlib import Path

import click

from weft.assembly.history import History, open_history
from weft.board.costs import costs_of
from weft.board.document import run_document
from weft.board.report_html import report_html
from weft.board.report_markdown import report_markdown
from weft.cli.caller import pass_environment
from weft.cli.chosen import run_or_latest
from weft.cli.cost import day_of, report_cost
from weft.cli.printing import json_text, note, print_text, stdout_glyphs
from weft.errors import UsageError
from weft.settings.environment import Environment
from weft.terminal.report import report_text


class Form(Enum):
    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"


SUFFIXES = {".json": Form.JSON, ".md": Form.MARKDOWN, ".html": Form.HTML, ".htm": Form.HTML}
"""What the name of a file says, where no flag does."""


@click.command(name="report")
@click.argument("run", required=False, metavar="[RUN]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document, as `weft run --json` does.")
@click.option("--markdown", is_flag=True, help="Print Markdown, to keep or to paste.")
@click.option("--html", is_flag=True, help="Print one page that needs nothing else, with a timeline.")
@click.option("--output", metavar="FILE", help="Write it there; the name says the form, such as report.html.")
@click.option("--cost", is_flag=True, help="Show what sessions cost, by job, agent, model and day.")
@click.option("--since", metavar="DURATION", help="With --cost: only runs started within this time, such as 7d.")
@pass_environment
def command(
    environment: Environment,
    run: str | None,
    as_json: bool,
    markdown: bool,
    html: bool,
    output: str | None,
    cost: bool,
    since: str | None,
) -> None:
    """Show a run's outcome: every job, phase and attempt, what it cost, where its work is.

    RUN is a run's id, as `weft status` shows it; without one it is the latest run here, and with --cost all runs
    that the journal has.

    \b
    Examples:
      weft report
      weft report r-k3m9x2ab --html --output report.html
      weft report --markdown > report.md
      weft report --cost --since 7d
      weft report --json | jq '.jobs[] | select(.status == "failed")'
    """
    flags = {Form.JSON: as_json, Form.MARKDOWN: markdown, Form.HTML: html}
    form = _form([form for form, wanted in flags.items() if wanted], output)
    if since is not None and not cost:
        raise UsageError("--since goes with --cost")
    if cost and form not in (Form.TEXT, Form.JSON):
        raise UsageError(f"--cost has no --{form.value}", hint="`weft report --html` shows what a run cost too")
    if cost:
        text = report_cost(environment, run, since, as_json=form is Form.JSON)
    else:
        with open_history(environment) as history:
            text = _report(history, environment, run, form)
    _deliver(text, output, environment)


def _form(asked: list[Form], output: str | None) -> Form:
    if len(asked) > 1:
        raise UsageError(" and ".join(f"--{form.value}" for form in asked) + " exclude each other")
    by_name = SUFFIXES.get(Path(output).suffix.lower(), Form.TEXT) if output else Form.TEXT
    return asked[0] if asked else by_name


def _report(history: History, environment: Environment, run: str | None, form: Form) -> str:
    view = history.view(run_or_latest(history, environment, run).run)
    match form:
        case Form.JSON:
            return json_text(run_document(view, now=time.time()))
        case Form.MARKDOWN:
            return report_markdown(view)
        case Form.HTML:
            return report_html(view, costs_of([view], day_of(environment)), time.time())
        case Form.TEXT:
            return report_text(view, stdout_glyphs())


def _deliver(text: str, output: str | None, environment: Environment) -> None:
    if output is None:
        print_text(text)
        return
    try:
        (environment.folder / output).write_text(text, "utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"`{output}` cannot be written: {error.strerror}", hint="name another file") from None
    note(f"Written to {output}")
