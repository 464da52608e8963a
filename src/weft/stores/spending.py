"""What sessions came to, kept beside their events: limits by day and week count over all runs."""

from __future__ import annotations

import sqlite3
import time

from weft.model.events import PhaseEnded, SessionEnded, UsageSeen
from weft.model.ids import RunId
from weft.model.outcome import PhaseStatus
from weft.stores.queries import SQL

KEPT = 8 * 86400.0
"""Seconds that what was spent is remembered, also where its run was tidied away: longer than any limit's period."""


def keep_spending(connection: sqlite3.Connection, run: RunId, event: SessionEnded | UsageSeen | PhaseEnded) -> None:
    """Within the writer's transaction."""
    attempt = {"attempt": str(event.attempt)}
    match event:
        case UsageSeen(usage=usage):
            connection.execute(SQL["see_reservation"], attempt | {"tokens": usage.tokens, "usd": usage.cost_usd or 0.0})
        case SessionEnded():
            _end(connection, run, event, attempt)
        case PhaseEnded(status=PhaseStatus.LOST):  # nobody can say any more what it used
            connection.execute(SQL["settle_as_seen"], attempt | {"at": event.at})
            connection.execute(SQL["delete_reservation"], attempt)
        case PhaseEnded():
            pass


def _end(connection: sqlite3.Connection, run: RunId, event: SessionEnded, attempt: dict[str, str]) -> None:
    usage = event.outcome.usage
    if usage.sessions or usage.tokens:
        spent = {"tokens": usage.tokens, "usd": usage.cost_usd, "sessions": usage.sessions}
        row = {"run": run, "agent": event.agent, "at": event.at} | spent
        connection.execute(SQL["add_spending"], attempt | row)
    connection.execute(SQL["delete_reservation"], attempt)


def forget_spending(connection: sqlite3.Connection, run: RunId) -> None:
    """As far as no limit can count it any more."""
    now = time.time()
    connection.execute(SQL["settle_run_as_seen"], {"run": run, "at": now})
    connection.execute(SQL["delete_reservations_of_run"], {"run": run})
    connection.execute(SQL["delete_old_spending"], {"run": run, "before": now - KEPT})
