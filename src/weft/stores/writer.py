"""The one thread that writes. What waits while a commit is under way goes into the next one together."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeAlias, TypeVar

from weft.errors import StoreError
from weft.stores.database import connect
from weft.stores.faults import store_error
from weft.stores.pending import Outcome, Pending, from_loop, from_thread, settle

T = TypeVar("T")
Operation: TypeAlias = Callable[[sqlite3.Connection], T]
Batch: TypeAlias = list[Pending[Operation[Any]]]


class Writer:
    """Runs operations in the order they came, in as few transactions as that allows."""

    def __init__(self, path: Path, patience: float) -> None:
        self._path = path
        self._patience = patience
        self._queue: SimpleQueue[Pending[Operation[Any]] | None] = SimpleQueue()
        self._gate = Lock()
        self._thread: Thread | None = None
        self._closed = False
        self._connection: sqlite3.Connection | None = None

    async def write(self, operation: Operation[T]) -> T:
        """Returns when the operation is on disk; an error means nothing of it is. Cancelling ends the wait only."""
        pending, future = from_loop(operation, asyncio.get_running_loop())
        self._put(pending)
        result: T = await future
        return result

    def write_blocking(self, operation: Operation[T]) -> T:
        """The same for those without an event loop."""
        pending, future = from_thread(operation)
        self._put(pending)
        result: T = future.result()
        return result

    def close(self) -> None:
        """Write what waits, then end the thread."""
        with self._gate:
            self._closed = True
            thread, self._thread = self._thread, None
        if thread is not None:
            self._queue.put(None)
            thread.join()

    def _put(self, pending: Pending[Operation[Any]]) -> None:
        with self._gate:
            if self._closed:
                raise StoreError(f"the database `{self._path}` was closed")
            self._queue.put(pending)
            if self._thread is None:
                self._thread = Thread(target=self._serve, name="weft-journal", daemon=True)
                self._thread.start()

    def _serve(self) -> None:
        going = True
        while going:
            going, batch = self._next_batch()
            if batch:
                settle(batch, self._outcomes(batch))
        self._disconnect()

    def _next_batch(self) -> tuple[bool, Batch]:
        """All that waits, and whether there will be more."""
        batch: Batch = []
        item = self._queue.get()
        while item is not None:
            batch.append(item)
            try:
                item = self._queue.get_nowait()
            except Empty:
                return True, batch
        return False, batch

    def _outcomes(self, batch: Batch) -> Sequence[Outcome]:
        try:
            return [Outcome(result) for result in self._transact(batch)]
        except BaseException as error:
            self._disconnect()
            told = store_error(self._path, error) if isinstance(error, sqlite3.Error) else error
            return [Outcome(None, told)] * len(batch)

    def _transact(self, batch: Batch) -> list[Any]:
        if self._connection is None:
            self._connection = connect(self._path, self._patience)
        self._connection.execute("BEGIN IMMEDIATE")
        results = [pending.operation(self._connection) for pending in batch]
        self._connection.execute("COMMIT")
        return results

    def _disconnect(self) -> None:
        """Closing rolls back; after a fault the next batch begins with a fresh connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
