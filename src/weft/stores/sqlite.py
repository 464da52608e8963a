"""The journal in a SQLite database that several processes of one user may use at once."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType

import msgspec

from weft.model.answer import Answer
from weft.model.budget import Amounts
from weft.model.events import AnyEvent, QuotaSeen
from weft.model.ids import JobKey, RunId
from weft.ports import ControlRequest, Entry, JobEnd, RunRecord
from weft.stores.codec import Codec
from weft.stores.database import make_private
from weft.stores.following import follow
from weft.stores.presence import Presence
from weft.stores.queries import SQL
from weft.stores.reader import Reader
from weft.stores.recording import Prepared, prepare, record
from weft.stores.schema import settle_schema
from weft.stores.spending import forget_spending
from weft.stores.writer import Writer

PATIENCE = 30.0
"""Seconds to wait for a lock that another process holds."""


class SqliteJournal:
    """Use as a context manager, or `close` it: what was appended is written, the database is let go."""

    def __init__(self, path: Path, *, patience: float = PATIENCE, codec: Codec | None = None) -> None:
        self.path = path
        self._codec = codec or Codec()
        make_private(path)
        self._presence = Presence(path)
        try:
            settle_schema(path, self._presence, patience)
            self._reader = Reader(path, patience, self._codec)
        except BaseException:
            self._presence.close()
            raise
        self._writer = Writer(path, patience)
        self._looked: dict[RunId, int] = {}

    def __enter__(self) -> SqliteJournal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._writer.close()
        self._reader.close()
        self._presence.close()

    async def append(self, run: RunId, events: Sequence[AnyEvent]) -> int:
        """Write in order, as one group. Cancelling stops the waiting, not the writing."""
        prepared = [prepare(self._codec, event) for event in events]
        return await self._writer.write(lambda connection: _record_all(connection, run, prepared))

    def read(self, run: RunId, after: int = 0) -> Iterator[Entry]:
        return self._reader.read(run, after)

    def events_of_type(self, types: Sequence[type[AnyEvent]], since: float = 0.0) -> Iterator[Entry]:
        """Of all runs, in order, from that time on."""
        return self._reader.events_of_type(types, since)

    def count(self, run: RunId | None = None) -> int:
        return self._reader.count(run)

    def runs(self) -> list[RunRecord]:
        return self._reader.runs()

    def last_job_end(self, repo_path: str, key: JobKey) -> JobEnd | None:
        """How the job ended when it was last worked on, over all runs of the repo at that path."""
        return self._reader.last_job_end(repo_path, key)

    def follow(
        self, run: RunId, after: int = 0, *, alive: Callable[[], bool] = lambda: True
    ) -> AsyncGenerator[Entry, None]:
        """What is there and what comes, until the run has ended or `alive` says that nobody has it any more."""
        return follow(self._reader, run, after, alive)

    def ask(self, run: RunId, request: ControlRequest) -> None:
        body = msgspec.json.encode(request).decode()
        self._writer.write_blocking(lambda connection: connection.execute(SQL["add_request"], (run, body)).rowcount)

    async def take_requests(self, run: RunId) -> list[ControlRequest]:
        version = self._reader.data_version()
        if self._looked.get(run) == version:
            return []
        if not self._reader.has_requests(run):
            self._looked[run] = version
            return []
        bodies = await self._writer.write(lambda connection: _take_requests(connection, run))
        return [msgspec.json.decode(body, type=ControlRequest) for body in bodies]

    def answers(self) -> list[Answer]:
        """What people said about jobs that have not passed since, oldest first."""
        return self._reader.answers()

    def keep_answer(self, answer: Answer) -> None:
        """For the next run of the job: the one that it was stuck in is over."""
        row = msgspec.to_builtins(answer)
        self._writer.write_blocking(lambda connection: connection.execute(SQL["add_answer"], row).rowcount)

    def quota_news(self, since: float) -> list[QuotaSeen]:
        return self._reader.quota_news(since)

    def spent_since(self, since: float, agent: str | None = None) -> Amounts:
        """By sessions of all runs that ended from that time on."""
        return self._reader.spent_since(since, agent)

    def delete_run(self, run: RunId) -> None:
        """Forget all about a run."""
        self._writer.write_blocking(lambda connection: _delete_run(connection, run))


def _record_all(connection: sqlite3.Connection, run: RunId, prepared: Sequence[Prepared]) -> int:
    seq = 0
    for each in prepared:
        seq = record(connection, run, each)
    return seq


def _take_requests(connection: sqlite3.Connection, run: RunId) -> list[str]:
    bodies = [body for (body,) in connection.execute(SQL["read_requests"], (run,))]
    connection.execute(SQL["delete_requests"], (run,))
    return bodies


def _delete_run(connection: sqlite3.Connection, run: RunId) -> None:
    forget_spending(connection, run)
    beside = ("delete_job_ends", "delete_run_repos", "delete_requests", "delete_answers")
    for name in ("delete_events", *beside, "delete_run"):
        connection.execute(SQL[name], (run,))
