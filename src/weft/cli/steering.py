"""Asking something of a run that another process has, and seeing that it was taken up (WAVE-4)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from weft.assembly.history import History
from weft.board.document import Document, status_document
from weft.board.views import RunView
from weft.cli.chosen import MOST_NAMED, run_named
from weft.cli.printing import print_json, print_text, stdout_glyphs
from weft.errors import StoreError, UsageError
from weft.model.events import AnyEvent
from weft.model.ids import RunId
from weft.ports import ControlRequest, RunRecord
from weft.terminal.status import lever_text

PATIENCE = 3.0
"""Seconds. A run looks for requests five times a second; one that does not in this time hangs."""
LOOK_EVERY = 0.02

NOTHING = "`weft run ISSUE` starts one; `weft recover` goes on with an interrupted one"


def run_to_steer(history: History, run: str | None, example: str, hint: str = NOTHING) -> RunRecord:
    """The one that is under way, or the one of `--run`. `example`: the command, to be shown with a run's id."""
    if run is not None:
        return _living(history, run_named(history, run))
    found = history.under_way()
    if not found:
        raise UsageError("No run is under way", hint=hint)
    if len(found) > 1:
        raise UsageError(f"Several runs are under way: {_listed(found)}", hint=f"`{example} --run {found[0].run}`")
    return found[0]


def ask(history: History, run: RunId, request: ControlRequest, is_answer: Callable[[AnyEvent], bool]) -> RunView:
    """Leave the request and wait for the event that says it holds; answers the run as it stands then."""
    seen = max((entry.seq for entry in history.journal.read(run)), default=0)
    history.journal.ask(run, request)
    for event in _news(history, run, seen):
        if is_answer(event):
            return history.view(run)
    raise StoreError(
        f"run {run} has not taken up the request within {PATIENCE:g} s", hint=f"`weft status {run}` shows how it stands"
    )


def _news(history: History, run: RunId, seen: int) -> Iterator[AnyEvent]:
    """What is written from now on, for as long as waiting makes sense."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        alive = history.has_process(run)
        for entry in history.journal.read(run, seen):
            seen = entry.seq
            yield entry.event
        if not alive:
            raise StoreError(f"run {run} ended before it took up the request", hint=f"`weft report {run}` shows it")
        time.sleep(LOOK_EVERY)


def tell(view: RunView, what: str, *, as_json: bool, more: Document | None = None) -> None:
    """What holds now."""
    if as_json:
        print_json(_levers(view) | (more or {}))
    else:
        print_text(f"{view.run}: {what} ({lever_text(view, stdout_glyphs())})\n")


def _levers(view: RunView) -> Document:
    document: Document = status_document([view])["runs"][0]
    return {name: document[name] for name in ("run", "status", "cap", "paused", "in_flight", "waiting")}


def _living(history: History, record: RunRecord) -> RunRecord:
    if record.ended_at is not None:
        raise UsageError(f"Run {record.run} has ended", hint=f"`weft report {record.run}` shows its outcome")
    if not history.has_process(record.run):
        raise UsageError(
            f"Run {record.run} was interrupted: no process has it",
            hint=f"`weft recover {record.run}` goes on with it",
        )
    return record


def _listed(records: list[RunRecord]) -> str:
    shown = [f"{record.run} ({', '.join(record.repos) or record.mode})" for record in records[:MOST_NAMED]]
    more = f" and {len(records) - MOST_NAMED} more" if len(records) > MOST_NAMED else ""
    return ", ".join(shown) + more
