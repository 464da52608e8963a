"""`weft answer JOB TEXT`: what a person says wakes a job that is stuck, now or in its next run (UI-4)."""

from __future__ import annotations

import time

import click

from weft.assembly.history import History, open_history
from weft.board.document import Document
from weft.board.inbox import run_again
from weft.board.views import JobView, RunView
from weft.cli.caller import pass_environment
from weft.cli.chosen import Chosen, chosen_job
from weft.cli.printing import print_json, print_text
from weft.cli.steering import ask, tell
from weft.errors import StoreError, UsageError
from weft.model.answer import Answer
from weft.model.events import AnswerGiven
from weft.model.job import JobStatus
from weft.model.plan import Mode
from weft.ports import ControlRequest, RequestKind
from weft.settings.environment import Environment


@click.command(name="answer")
@click.argument("job", metavar="JOB")
@click.argument("text", metavar="TEXT")
@click.option("--run", metavar="RUN", help="The run that is meant (default: the one under way, else the latest).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_environment
def command(environment: Environment, job: str, text: str, run: str | None, as_json: bool) -> None:
    """Answer a job that was parked or has failed, so that it goes on with what you say.

    In a run under way it goes on at once, at the phase that had the trouble; those that were parked because of it
    wait for it again. Where the run is over the answer is kept, and the next run of the job is told. JOB is 101, #101
    or shop#101.

    \b
    Examples:
      weft answer 101 "Keep the old names, and add the new ones beside them"
      weft answer shop#101 "Use the API of version 2" --run r-k3m9x2ab
    """
    if not text.strip():
        raise UsageError("TEXT is empty", hint='`weft answer 101 "Use version 2"` tells the job so')
    with open_history(environment) as history:
        chosen = chosen_job(history, environment, job, run)
        view = history.view(chosen.run)
        _refuse(view, view.jobs[chosen.job])
        if _under_way(view) and _ask(history, chosen, text, as_json=as_json):
            return
        _keep(history, chosen, text, as_json=as_json)


def _under_way(view: RunView) -> bool:
    return view.ended_at is None and view.alive


def _refuse(view: RunView, job: JobView) -> None:
    if job.status is None:
        hint = "a session under way cannot be told; `weft cancel` stops it"
        if not view.alive:
            hint = f"`weft recover {view.run}` goes on with it"
        raise UsageError(f"{job.key} asks nothing: {view.progress(job).value}", hint=hint)
    if job.status.done:
        raise UsageError(f"{job.key} asks nothing: {job.status.value}", hint=f"`weft diff {job.key.id}` shows its work")
    if job.reason and job.reason.startswith("unmet dependency") and job.begun is None:
        raise UsageError(f"{job.key} asks nothing: {job.reason}", hint="answer the job that it depends on")
    if _under_way(view) and job.status not in (JobStatus.PARKED, JobStatus.FAILED):
        raise UsageError(f"{job.key} was not stuck: {job.status.value}", hint=f"`weft retry {job.key}` runs it again")
    if not _under_way(view) and view.mode is Mode.TASKS:
        raise UsageError(f"run {view.run} is over, and its tasks have no other", hint="say it in the task's prompt")


def _ask(history: History, chosen: Chosen, text: str, *, as_json: bool) -> bool:
    """Whether the run took it up; one that ends at this very moment does not."""
    request = ControlRequest(RequestKind.ANSWER, job=chosen.job, text=text)
    key = chosen.job
    try:
        view = ask(history, chosen.run, request, lambda event: isinstance(event, AnswerGiven) and event.job == key)
    except StoreError:
        if history.view(chosen.run).ended_at is None:
            raise
        return False
    status = view.shown_status(view.jobs[key])
    more: Document = {"job": str(key), "job_status": status, "used_by": "this run"}
    tell(view, f"{key} goes on with your answer", as_json=as_json, more=more)
    return True


def _keep(history: History, chosen: Chosen, text: str, *, as_json: bool) -> None:
    view = history.view(chosen.run)
    job = view.jobs[chosen.job]
    path = view.repos[chosen.job.repo]
    history.journal.keep_answer(Answer(path, chosen.job.id, chosen.run, time.time(), text))
    again = run_again(view, job)
    if as_json:
        document = {"run": chosen.run, "status": view.status.value, "job": str(job.key)}
        print_json(document | {"job_status": view.shown_status(job), "used_by": again})
    else:
        print_text(f"{job.key}: your answer is kept; `{again}` goes on with it\n")
