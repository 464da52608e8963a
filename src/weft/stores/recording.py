"""What an event changes in the database: its own row, and what is kept beside it so that nobody has to search."""

from __future__ import annotations

import sqlite3

import msgspec

from weft.model.events import (
    AnswerGiven,
    AnyEvent,
    JobEnded,
    PhaseEnded,
    RetryRequested,
    RunEnded,
    RunResumed,
    RunStarted,
    SessionEnded,
    UsageSeen,
)
from weft.model.ids import RunId
from weft.model.job import JobStatus
from weft.stores.codec import Codec, Stored, job_of
from weft.stores.ends import UNTOUCHED
from weft.stores.queries import SQL
from weft.stores.spending import keep_spending


class Prepared(msgspec.Struct, frozen=True):
    """An event with its stored form, made before the writer's turn."""

    event: AnyEvent
    stored: Stored


def prepare(codec: Codec, event: AnyEvent) -> Prepared:
    return Prepared(event, codec.encode(event))


def record(connection: sqlite3.Connection, run: RunId, prepared: Prepared) -> int:
    """Within the writer's transaction; answers the event's number."""
    event, stored = prepared.event, prepared.stored
    job = job_of(event)
    row = (run, event.at, stored.type, stored.version, str(job) if job else None, stored.body)
    seq = connection.execute(SQL["append_event"], row).lastrowid
    assert seq is not None
    _keep_beside(connection, run, event, seq)
    return seq


def _keep_beside(connection: sqlite3.Connection, run: RunId, event: AnyEvent, seq: int) -> None:
    match event:
        case RunStarted():
            _add_run(connection, run, event)
        case RunEnded():
            connection.execute(SQL["end_run"], (event.at, run))
            connection.execute(SQL["delete_reservations_of_run"], {"run": run})
        case RunResumed() | RetryRequested():
            connection.execute(SQL["end_run"], (None, run))
        case JobEnded() if event.status not in UNTOUCHED:
            names = {"id": event.job.id, "seq": seq, "run": run, "name": event.job.repo}
            connection.execute(SQL["add_job_end"], names)
            if event.status is JobStatus.PASSED:
                connection.execute(SQL["forget_answers"], names)
        case AnswerGiven():
            names = {"id": event.job.id, "run": run, "name": event.job.repo}
            connection.execute(SQL["add_answer_of_run"], names | {"at": event.at, "text": event.text})
        case SessionEnded() | UsageSeen() | PhaseEnded():
            keep_spending(connection, run, event)
        case _:
            pass


def _add_run(connection: sqlite3.Connection, run: RunId, event: RunStarted) -> None:
    plan = event.plan
    added = connection.execute(SQL["add_run"], (run, event.at, plan.mode.value, plan.command)).rowcount
    if not added:
        return
    rows = [(run, position, repo.name, repo.path) for position, repo in enumerate(plan.repos)]
    connection.executemany(SQL["add_run_repo"], rows)
