"""What the agents and gates of one job printed, attempt by attempt, in the order they began."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from weft.assembly.history import History
from weft.cli.crash import without_secrets
from weft.model.events import AttemptStarted, MergeMade, TargetGated
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.phase import StepKind
from weft.settings.environment import Environment
from weft.terminal.plain import plain


class Source(msgspec.Struct, frozen=True):
    """One file of an attempt."""

    attempt: AttemptId
    what: str
    """`session`, `stderr`, `gate test` or, where it had failed in the merge queue, `gate test, once more`."""
    path: Path


def show_transcripts(history: History, environment: Environment, run: RunId, job: JobKey, *, as_json: bool) -> None:
    """Secrets are taken out; on a terminal control characters are too (SEC-3)."""
    tty = sys.stdout.isatty()
    for source in sources(history, run, job):
        if not as_json:
            click.echo(f"== {plain(str(job))} {source.attempt.phase} attempt {source.attempt.number}: {source.what}")
        for line in _lines(source.path):
            text = without_secrets(line, environment)
            if as_json:
                click.echo(_document(source, text))
            else:
                # As bytes elsewhere: of a text click would take the colours out.
                click.echo(plain(text) if tty else text.encode("utf-8"))


def sources(history: History, run: RunId, job: JobKey) -> Iterator[Source]:
    """The files there are."""
    for event in history.events(run):
        if isinstance(event, AttemptStarted | MergeMade | TargetGated) and event.attempt.job == job:
            yield from (source for source in _of_attempt(history, event.attempt) if source.path.exists())


def _of_attempt(history: History, attempt: AttemptId) -> Iterator[Source]:
    """Gates come before the session that reviews."""
    layout = history.layout
    plan = history.plan(attempt.run)
    repo = next((repo for repo in plan.repos if repo.name == attempt.job.repo), None) if plan else None
    for gate in repo.gates if repo else ():
        yield Source(attempt, f"gate {gate.name}", Path(layout.gate(attempt, gate.name)))
        yield Source(attempt, f"gate {gate.name}, once more", Path(layout.gate_again(attempt, gate.name)))
    yield Source(attempt, "session", Path(layout.transcript(attempt, StepKind.SESSION)))
    yield Source(attempt, "stderr", Path(layout.stderr(attempt, StepKind.SESSION)))


def _lines(path: Path) -> Iterator[str]:
    """Cut at line feeds alone: other separators are the agent's own text."""
    with path.open("rb") as file:
        for line in file:
            yield line.removesuffix(b"\n").decode("utf-8", "replace")


def _document(source: Source, text: str) -> str:
    document = {
        "run": source.attempt.run,
        "job": str(source.attempt.job),
        "phase": source.attempt.phase,
        "attempt": source.attempt.number,
        "source": source.what,
        "text": text,
    }
    return msgspec.json.encode(document).decode()
