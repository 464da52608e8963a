"""`weft retry JOB`: run a job again that ended badly in a run under way."""

from __future__ import annotations

import click

from weft.assembly.history import History, open_history
from weft.board.views import JobView
from weft.cli.caller import pass_environment
from weft.cli.chosen import job_of_run
from weft.cli.steering import ask, run_to_steer, tell
from weft.errors import UsageError
from weft.model.events import RetryRequested
from weft.model.ids import JobKey
from weft.ports import ControlRequest, RequestKind, RunRecord
from weft.settings.environment import Environment


@click.command(name="retry")
@click.argument("job", metavar="JOB")
@click.option("--run", metavar="RUN", help="The run that is meant (default: the one under way).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_environment
def command(environment: Environment, job: str, run: str | None, as_json: bool) -> None:
    """Run a job again that ended badly, in the run that is under way.

    It starts from its first phase; jobs that were parked because of it wait for it again. With no run under way use
    `weft run JOB`: what did not pass is run anew. JOB is 101, #101 or shop#101.

    \b
    Examples:
      weft retry 101
      weft retry shop#101 --run r-k3m9x2ab
    """
    with open_history(environment) as history:
        record = run_to_steer(history, run, f"weft retry {job}", hint=_anew(job))
        key = job_of_run(history, record, job).job
        _refuse(_job(history, record, key), record)
        request = ControlRequest(RequestKind.RETRY, job=key)
        view = ask(history, record.run, request, lambda event: isinstance(event, RetryRequested) and event.job == key)
    status = view.shown_status(view.jobs[key])
    tell(view, f"{key} is tried again", as_json=as_json, more={"job": str(key), "job_status": status})


def _job(history: History, record: RunRecord, key: JobKey) -> JobView:
    return history.view(record.run).jobs[key]


def _refuse(job: JobView, record: RunRecord) -> None:
    if job.status is None:
        raise UsageError(f"{job.key} has not ended: {job.progress.value}", hint=f"`weft cancel {job.key}` stops it")
    if job.status.done:
        raise UsageError(
            f"{job.key} need not be tried again: {job.status.value}",
            hint=f"`weft run {job.key.id} --force` runs it again when {record.run} has ended",
        )


def _anew(job: str) -> str:
    ident = job.rpartition("#")[2]
    return f"`weft run {ident}` runs it anew; `--force` if it had passed; `weft recover` goes on with a dead run"
