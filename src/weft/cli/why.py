"""`weft why JOB`: where a job stands and what it waits for, from the scheduler's own state (PLAN-1)."""

from __future__ import annotations

import click

from weft.assembly.history import History, open_history
from weft.cli.caller import pass_environment
from weft.cli.chosen import Chosen, chosen_job
from weft.cli.printing import print_json, print_text
from weft.engine.recovery import reconstruct
from weft.scheduler.why import why
from weft.settings.environment import Environment
from weft.terminal.plain import plain


@click.command(name="why")
@click.argument("job", metavar="JOB")
@click.option("--run", metavar="RUN", help="The run that is meant (default: the one under way, else the latest).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_environment
def command(environment: Environment, job: str, run: str | None, as_json: bool) -> None:
    """Say why a job is not running: what exactly it waits for, or how it ended.

    JOB is 101, #101 or shop#101. The answer is the scheduler's own: the run's journal is replayed, nothing is guessed.

    \b
    Examples:
      weft why 101
      weft why shop#101 --run r-k3m9x2ab --json
    """
    with open_history(environment) as history:
        chosen = chosen_job(history, environment, job, run)
        reason = _reason(history, chosen)
        view = history.view(chosen.run)
    status = view.shown_status(view.jobs[chosen.job])
    if as_json:
        document = {"run": chosen.run, "run_status": view.status.value, "job": str(chosen.job), "status": status}
        print_json(document | {"why": reason})
    else:
        print_text(plain(f"{chosen.job} {reason}") + f"\n  in run {chosen.run}, {view.status.value}\n")


def _reason(history: History, chosen: Chosen) -> str:
    return why(reconstruct(chosen.run, history.events(chosen.run)).state, chosen.job)
