"""`weft cancel JOB`: stop one job of a run under way."""

from __future__ import annotations

import click

from weft.assembly.history import open_history
from weft.cli.caller import pass_environment
from weft.cli.chosen import job_of_run
from weft.cli.steering import ask, run_to_steer, tell
from weft.errors import UsageError
from weft.model.events import CancelRequested
from weft.ports import ControlRequest, RequestKind
from weft.settings.environment import Environment


@click.command(name="cancel")
@click.argument("job", metavar="JOB")
@click.option("--run", metavar="RUN", help="The run that is meant (default: the one under way).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_environment
def command(environment: Environment, job: str, run: str | None, as_json: bool) -> None:
    """Stop a job of a run under way and keep its work.

    Its agent is ended; what it had done is on its branch or on a saved ref that `weft status` names. Jobs that depend
    on it are parked. JOB is 101, #101 or shop#101.

    \b
    Examples:
      weft cancel 101
      weft cancel shop#101 --run r-k3m9x2ab
    """
    with open_history(environment) as history:
        record = run_to_steer(history, run, f"weft cancel {job}")
        key = job_of_run(history, record, job).job
        status = history.view(record.run).jobs[key].status
        if status is not None:
            raise UsageError(f"{key} has ended already: {status.value.replace('_', ' ')}")
        request = ControlRequest(RequestKind.CANCEL, job=key)
        view = ask(history, record.run, request, lambda event: isinstance(event, CancelRequested) and event.job == key)
    status = view.jobs[key].status
    what = f"{key} is being stopped" if status is None else f"{key} is {status.value.replace('_', ' ')}"
    tell(view, what, as_json=as_json, more={"job": str(key), "job_status": view.shown_status(view.jobs[key])})
