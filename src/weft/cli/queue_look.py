"""`weft queue list`: the merge queues, from the scheduler's own state."""

from __future__ import annotations

import time

from weft.assembly.history import History, open_history
from weft.cli.chosen import run_named
from weft.cli.printing import note, print_json, print_text, stdout_glyphs
from weft.engine.recovery import reconstruct
from weft.model.ids import RunId
from weft.scheduler.listing import ListedQueue, listed_queues
from weft.scheduler.state import State
from weft.settings.environment import Environment
from weft.terminal.queues import queue_document, queue_text

Found = list[tuple[RunId, ListedQueue]]


def list_queues(environment: Environment, run: str | None, *, as_json: bool) -> None:
    with open_history(environment) as history:
        found = _found(history, run)
    if as_json:
        print_json({"queues": [queue_document(*each) for each in found]})
        return
    if not found:
        note("No merge queue" + (f" in run {run}" if run else ": no run under way merges its branches"))
        note("hint: `weft run ISSUE --merge queue` and `weft wave run` do")
        return
    now, glyphs = time.time(), stdout_glyphs()
    print_text("\n".join(queue_text(each, queue, now, glyphs) for each, queue in found))


def state_of(history: History, run: RunId) -> State:
    """As its journal stands: nothing is guessed."""
    return reconstruct(run, history.events(run)).state


def _found(history: History, run: str | None) -> Found:
    if run is not None:
        return _of(history, run_named(history, run).run)
    under_way = history.under_way()
    if under_way:
        return [each for record in under_way for each in _of(history, record.run)]
    unended = (_of(history, record.run) for record in history.records() if record.ended_at is None)
    return next((found for found in unended if any(queue.items for _, queue in found)), [])


def _of(history: History, run: RunId) -> Found:
    plan = history.plan(run)
    if plan is None or not any(repo.merge for repo in plan.repos):
        return []  # without a replay: most runs have none
    return [(run, queue) for queue in listed_queues(state_of(history, run))]
