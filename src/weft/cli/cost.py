"""`weft report --cost`: what sessions cost, over one run or many (BUDGET-5)."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from weft.assembly.history import History, open_history
from weft.assembly.zones import zone_of
from weft.board.costs import DayOf, costs_document, costs_of
from weft.board.views import RunView
from weft.cli.chosen import run_named
from weft.cli.durations import seconds_of
from weft.cli.printing import json_text
from weft.errors import UsageError
from weft.settings.environment import Environment
from weft.settings.load import load
from weft.terminal.costs import costs_text


def report_cost(environment: Environment, run: str | None, since: str | None, *, as_json: bool) -> str:
    """As text, or as JSON."""
    with open_history(environment) as history:
        costs = costs_of(_views(history, run, since), day_of(environment))
    return json_text(costs_document(costs)) if as_json else costs_text(costs)


def _views(history: History, run: str | None, since: str | None) -> list[RunView]:
    if run is not None and since is not None:
        raise UsageError("--since is for many runs, and one was named")
    if run is not None:
        return [history.view(run_named(history, run).run)]
    after = 0.0 if since is None else time.time() - seconds_of("--since", since)
    return [history.view(record.run) for record in history.records()[::-1] if record.started_at >= after]


def day_of(environment: Environment) -> DayOf:
    """In the time zone that budgets go by."""
    try:
        name = load(environment).settings.schedule.timezone
    except UsageError:
        name = "local"  # whoever only looks is not stopped by settings that are wrong
    zone = zone_of(name, environment)
    return lambda at: datetime.fromtimestamp(at, UTC).astimezone(zone).date().isoformat()
