"""`weft logs`: a run's structured log, and what the agents of a job printed (RUN-17)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import click
import msgspec

from weft.assembly.history import History, open_history
from weft.board.log import job_of
from weft.cli.caller import pass_environment
from weft.cli.chosen import job_of_any_run, job_of_run, run_named, run_or_latest
from weft.cli.transcripts import show_transcripts
from weft.errors import UsageError
from weft.model.ids import JobKey, RunId
from weft.ports import Entry
from weft.settings.environment import Environment
from weft.terminal.logs import event_line, log_line

RUN_PREFIX = "r-"
"""What the ids of runs begin with."""


class Asked(msgspec.Struct, frozen=True):
    """Which entries: of the run, or of one of its jobs."""

    run: RunId
    job: JobKey | None

    def takes(self, entry: Entry) -> bool:
        return self.job is None or job_of(entry.event) == self.job


@click.command(name="logs")
@click.argument("words", nargs=-1, metavar="[RUN] [JOB]")
@click.option("--follow", is_flag=True, help="Go on as things happen, until the run ends.")
@click.option("--transcript", is_flag=True, help="Show what the agents and gates of JOB printed.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@pass_environment
def command(environment: Environment, words: tuple[str, ...], follow: bool, transcript: bool, as_json: bool) -> None:
    """Show what happened in a run, or in one job of it, entry by entry.

    RUN is a run's id; without one it is the latest run here, or the latest that has JOB. JOB is 101, #101 or shop#101.

    \b
    Examples:
      weft logs
      weft logs r-k3m9x2ab 101
      weft logs 101 --transcript
      weft logs --follow --json
    """
    if follow and transcript:
        raise UsageError(
            "--follow and --transcript exclude each other", hint="`weft run --verbose` shows transcripts as they grow"
        )
    with open_history(environment) as history:
        asked = _asked(history, environment, words)
        if transcript:
            show_transcripts(history, environment, asked.run, _needed(asked), as_json=as_json)
        elif follow:
            asyncio.run(_follow(history, asked, _printer(as_json)))
        else:
            _print(history, asked, _printer(as_json))


def _asked(history: History, environment: Environment, words: tuple[str, ...]) -> Asked:
    """One word is a run where there is a run of that id, else a job."""
    match words:
        case ():
            return Asked(run_or_latest(history, environment, None).run, None)
        case (run, job):
            chosen = job_of_run(history, run_named(history, run), job)
            return Asked(chosen.run, chosen.job)
        case (word,):
            return _run_or_job(history, environment, word)
        case _:
            raise UsageError("Too many arguments", hint="`weft logs [RUN] [JOB]`")


def _run_or_job(history: History, environment: Environment, word: str) -> Asked:
    run_or_latest(history, environment, None)  # says so where there is no run at all
    if any(record.run == word for record in history.records()):
        return Asked(RunId(word), None)
    try:
        chosen = job_of_any_run(history, environment, word)
    except UsageError:
        if word.startswith(RUN_PREFIX):
            run_named(history, word)
        raise
    return Asked(chosen.run, chosen.job)


def _needed(asked: Asked) -> JobKey:
    if asked.job is None:
        raise UsageError("--transcript needs a JOB", hint=f"`weft logs {asked.run}` names the jobs")
    return asked.job


def _printer(as_json: bool) -> Callable[[Entry], str]:
    if as_json:
        return lambda entry: event_line(entry.run, entry.event, entry.seq)
    return lambda entry: log_line(entry.event)


def _print(history: History, asked: Asked, line: Callable[[Entry], str]) -> None:
    for entry in history.journal.read(asked.run):
        if asked.takes(entry):
            click.echo(line(entry))


async def _follow(history: History, asked: Asked, line: Callable[[Entry], str]) -> None:
    entries: AsyncIterator[Entry] = history.journal.follow(asked.run, alive=lambda: history.has_process(asked.run))
    async for entry in entries:
        if asked.takes(entry):
            click.echo(line(entry))
