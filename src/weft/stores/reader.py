"""Reading the database: on a connection of its own, in short transactions, so that no reader holds up a writer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, TypeAlias

import msgspec

from weft.model.answer import Answer
from weft.model.budget import Amounts
from weft.model.events import AnyEvent, JobEnded, QuotaSeen
from weft.model.ids import JobKey, RunId
from weft.ports import Entry, JobEnd, RunRecord
from weft.stores.codec import Codec, Stored
from weft.stores.database import connect
from weft.stores.ends import phases_passed
from weft.stores.faults import damaged, told
from weft.stores.queries import SQL

CHUNK = 256
Row: TypeAlias = tuple[Any, ...]
Values: TypeAlias = Sequence[object] | Mapping[str, object]


class Reader:
    def __init__(self, path: Path, patience: float, codec: Codec) -> None:
        self._path = path
        self._codec = codec
        self._lock = Lock()
        self._connection = connect(path, patience)

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def data_version(self) -> int:
        """Changes when anything was committed, by any process: a cheap way to see that there is nothing new."""
        return int(self._rows("PRAGMA data_version", ())[0][0])

    def chunk(self, run: RunId, after: int) -> list[Entry]:
        """The next few events of a run."""
        return [self._entry(row) for row in self._rows(SQL["read_events"], (run, after, CHUNK))]

    def read(self, run: RunId, after: int) -> Iterator[Entry]:
        while entries := self.chunk(run, after):
            yield from entries
            after = entries[-1].seq

    def events_of_type(self, types: Sequence[type[AnyEvent]], since: float) -> Iterator[Entry]:
        tags = msgspec.json.encode([kind.__struct_config__.tag for kind in types]).decode()
        after = 0
        while rows := self._rows(
            SQL["events_of_type"], {"after": after, "since": since, "types": tags, "chunk": CHUNK}
        ):
            yield from map(self._entry, rows)
            after = rows[-1][0]

    def count(self, run: RunId | None) -> int:
        if run is None:
            return int(self._rows(SQL["count_events"], ())[0][0])
        return int(self._rows(SQL["count_events_of_run"], (run,))[0][0])

    def runs(self) -> list[RunRecord]:
        repos: dict[str, list[str]] = {}
        for run, path in self._rows(SQL["list_run_repos"], ()):
            repos.setdefault(run, []).append(path)
        return [
            RunRecord(run, started, ended, tuple(repos.get(run, ())), command, mode)
            for run, started, ended, mode, command in self._rows(SQL["list_runs"], ())
        ]

    def has_ended(self, run: RunId) -> bool | None:
        """None: no such run."""
        rows = self._rows(SQL["run_ended"], (run,))
        return bool(rows[0][0]) if rows else None

    def last_job_end(self, repo_path: str, key: JobKey) -> JobEnd | None:
        rows = self._rows(SQL["last_job_end"], (repo_path, key.id))
        if not rows:
            return None
        entry = self._entry(rows[0])
        assert isinstance(entry.event, JobEnded)
        passed_in = entry.event.passed_in or entry.run
        return JobEnd(entry.run, entry.event, self._phases_passed(passed_in, entry.event.job))

    def spent_since(self, since: float, agent: str | None) -> Amounts:
        rows = self._rows(SQL["spent_since"], {"since": since, "agent": agent, "without": ""})
        return Amounts(*map(float, rows[0]))

    def has_requests(self, run: RunId) -> bool:
        return bool(self._rows(SQL["has_requests"], (run,))[0][0])

    def answers(self) -> list[Answer]:
        return [Answer(path, job, run, at, text) for path, job, run, at, text in self._rows(SQL["answers"], ())]

    def quota_news(self, since: float) -> list[QuotaSeen]:
        found = [self._entry(row).event for row in self._rows(SQL["quota_news"], (since,))]
        return [event for event in found if isinstance(event, QuotaSeen)]

    def _phases_passed(self, run: RunId, key: JobKey) -> tuple[str, ...]:
        rows = self._rows(SQL["phase_ends_of_job"], (run, str(key)))
        return phases_passed((self._entry(row) for row in rows), key)

    def _rows(self, sql: str, values: Values) -> list[Row]:
        with self._lock, told(self._path):
            return self._connection.execute(sql, values).fetchall()

    def _entry(self, row: Row) -> Entry:
        seq, run, kind, version, body = row
        try:
            return Entry(seq, run, self._codec.decode(Stored(kind, version, body)))
        except msgspec.MsgspecError as error:
            raise damaged(self._path, f"event {seq} cannot be read: {error}") from error
