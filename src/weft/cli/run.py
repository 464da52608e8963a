"""`weft run`: issues through the pipeline, several at once."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from weft.assembly.ask_run import RunAsk, plan_for
from weft.assembly.github_planning import IssueSearch
from weft.assembly.history import open_history
from weft.assembly.jobs import History
from weft.assembly.local import open_journal, open_local
from weft.assembly.new_run import new_run_id
from weft.assembly.plan_run import Way
from weft.assembly.publishing import makes_pull_requests
from weft.cli.caller import command_line, pass_environment
from weft.cli.drive import Display, Show, drive
from weft.cli.dry_run import show_plan
from weft.cli.interrupted import take_over_interrupted
from weft.cli.planned import told_calls
from weft.cli.printing import note
from weft.cli.run_options import (
    display_of,
    display_options,
    flags_of,
    how_options,
    phases_of,
    refuse_signal_without_force,
)
from weft.cli.warnings import warn_before, warn_of_plan_locks
from weft.errors import ExitCode, UsageError
from weft.model.ids import RunId
from weft.model.plan import Plan
from weft.settings.environment import Environment
from weft.settings.load import Loaded, load
from weft.settings.problem import Origin, OriginKind, wrong_value
from weft.settings.rules import POSITIVE

SETTINGS = {
    "concurrency": "run.concurrency",
    "sequential": "run.sequential",
    "agent": "agent",
    "base": "run.base",
    "merge": "run.merge",
    "quality_loop": "run.quality_loop",
    "retry": "run.retry",
}
"""Flags that stand for a setting."""


@click.command(name="run")
@click.argument("issues", nargs=-1, metavar="[ISSUE]...")
@click.option(
    "--label", "labels", multiple=True, metavar="NAME", help="Also open issues with this label; several: all."
)
@click.option("--milestone", metavar="NAME", help="Also open issues of this milestone.")
@click.option("--limit", metavar="N", help="At most so many of those found by label and milestone, lowest first.")
@click.option("--concurrency", metavar="N", help="How many issues may be worked on at once (default 3).")
@click.option(
    "--sequential/--no-sequential", default=None, help="One after the other; the first that ends badly stops the run."
)
@click.option(
    "--chain", is_flag=True, help="As --sequential, and each issue's branch starts at the tip of the one before."
)
@click.option("--phases", metavar="NAMES", help="Only these phases of the pipeline, such as spec,exec.")
@click.option("--agent", metavar="NAME", help="Who does the work (default: `agent` in weft.toml).")
@click.option("--base", metavar="REF", help="Where branches start.")
@click.option("--merge", metavar="HOW", help="What becomes of passed branches: none, queue or pr.")
@how_options
@click.option("--dry-run", is_flag=True, help="Show what would run, and change nothing.")
@display_options
@pass_environment
def command(environment: Environment, issues: tuple[str, ...], **options: Any) -> int:
    """Take issues through the pipeline, each in its own worktree and on its own branch.

    An ISSUE is a number (100, #100, owner/repo#100), a path to a Markdown file, or a prompt in quotes.

    \b
    Examples:
      weft run 101 102 103
      weft run 101 102 --chain
      weft run 101 102 103 --merge queue
      weft run --label agent --milestone M1 --limit 20
      weft run "fix the typo in the header" --verbose
      weft run 101 102 --dry-run
      weft run 101 --json | jq '.jobs[0].status'
    """
    display = display_of(options)
    loaded = load(environment, flags=flags_of(options, SETTINGS))
    way = _way(options, loaded)
    phases = phases_of(options["phases"])
    refuse_signal_without_force(options)
    ask = RunAsk(
        references=issues,
        way=way,
        phases=phases,
        force=options["force"],
        signal_other=options["signal_other"],
        override_usage=options["override_usage"],
        command=command_line(),
        run=new_run_id(),
        search=_search(issues, options),
    )
    return asyncio.run(_run(ask, loaded, environment, display, dry=options["dry_run"]))


async def _run(ask: RunAsk, loaded: Loaded, environment: Environment, display: Display, *, dry: bool) -> ExitCode:
    if dry:
        with open_history(environment) as history:
            plan = await _planned(ask, loaded, environment, history.journal)
            warn_before(plan)
            warn_of_plan_locks(plan)
            show_plan(plan, history, environment, as_json=display.show is Show.JSON)
        return ExitCode.OK
    with open_journal(environment) as journal:
        plan = await _planned(ask, loaded, environment, journal)
        warn_before(plan)
        taken = await take_over_interrupted(journal, environment, plan)
        if taken and makes_pull_requests(plan.repos):
            plan = await _planned(ask, loaded, environment, journal)  # some may lack nothing but their pull request
    return await run_plan_here(plan, environment, display, ask.run)


async def _planned(ask: RunAsk, loaded: Loaded, environment: Environment, history: History) -> Plan:
    plan = await plan_for(ask, loaded, environment, history, note)
    told_calls(plan)
    if not plan.jobs:
        note("no open issue was found: there is nothing to do")
    return plan


def _search(issues: tuple[str, ...], options: dict[str, Any]) -> IssueSearch:
    """RUN-1: what is run is named, or found."""
    search = IssueSearch(options["labels"], options["milestone"], _limit(options["limit"]))
    if not issues and not search.asked:
        raise click.UsageError("Missing argument '[ISSUE]...'.")
    if search.limit is not None and not search.asked:
        raise UsageError("--limit goes with --label or --milestone", hint="named issues are all run")
    return search


def _limit(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return int(str(POSITIVE.read(POSITIVE.from_text(text.strip()))))
    except ValueError:
        raise UsageError(wrong_value(Origin(OriginKind.FLAG, "--limit"), ("limit",), text, POSITIVE.allowed)) from None


async def run_plan_here(plan: Plan, environment: Environment, display: Display, named: RunId | None = None) -> ExitCode:
    """`named`: the id it is to have, where the plan already names it."""
    async with open_local(environment) as local:
        run = await local.start(plan, named)
        return await drive(local, run, display, environment)


def _way(options: dict[str, Any], loaded: Loaded) -> Way:
    """RUN-5: what excludes what; a concurrency from settings never conflicts."""
    if options["chain"] and options["sequential"]:
        raise UsageError("--chain and --sequential exclude each other", hint="--chain is sequential already")
    way = Way.CHAIN if options["chain"] else Way.SEQUENTIAL if loaded.settings.run.sequential else Way.PARALLEL
    flag = "--chain" if options["chain"] else "--sequential" if options["sequential"] else None
    if flag and options["concurrency"] is not None and loaded.settings.run.concurrency > 1:
        raise UsageError(
            f"{flag} and --concurrency {options['concurrency']} exclude each other",
            hint=f"leave one of them out: {flag} does one issue at a time",
        )
    explicit = options["concurrency"] is not None and options["sequential"] is None
    return Way.PARALLEL if way is Way.SEQUENTIAL and explicit and loaded.settings.run.concurrency > 1 else way
