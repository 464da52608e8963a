"""The one thread that writes. What waits while a commit is under way goes into the next one together."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeAlias, TypeVar

from weft.errors import StoreError
from weft.stores.database import connect
from weft.stores.faults import store_error

T = TypeVar("T")
Operation: TypeAlias = Callable[[sqlite3.Connection], T]
_Pending: TypeAlias = tuple[Operation[Any], "Future[Any]"]


class Writer:
    """Runs operations in the order they came, in as few transactions as that allows."""

    def __init__(self, path: Path, patience: float) -> None:
        self._path = path
        self._patience = patience
        self._queue: SimpleQueue[_Pending | None] = SimpleQueue()
        self._gate = Lock()
        self._thread: Thread | None = None
        self._closed = False
        self._connection: sqlite3.Connection | None = None

    def submit(self, operation: Operation[T]) -> Future[T]:
        """Answers when the operation is on disk; an error means that nothing of it is."""
        future: Future[T] = Future()
        # Running: what is queued is written, whether or not the one who asked still waits for it.
        future.set_running_or_notify_cancel()
        with self._gate:
            if self._closed:
                raise StoreError(f"the database `{self._path}` was closed")
            self._queue.put((operation, future))
            if self._thread is None:
                self._thread = Thread(target=self._serve, name="weft-journal", daemon=True)
                self._thread.start()
        return future

    def close(self) -> None:
        """Write what waits, then end the thread."""
        with self._gate:
            self._closed = True
            thread, self._thread = self._thread, None
        if thread is not None:
            self._queue.put(None)
            thread.join()

    def _serve(self) -> None:
        going = True
        while going:
            going, batch = self._next_batch()
            if batch:
                self._write(batch)
        self._disconnect()

    def _next_batch(self) -> tuple[bool, list[_Pending]]:
        """All that waits, and whether there will be more."""
        batch: list[_Pending] = []
        item = self._queue.get()
        while item is not None:
            batch.append(item)
            try:
                item = self._queue.get_nowait()
            except Empty:
                return True, batch
        return False, batch

    def _write(self, batch: list[_Pending]) -> None:
        try:
            results = self._transact(batch)
        except BaseException as error:
            self._disconnect()
            told = store_error(self._path, error) if isinstance(error, sqlite3.Error) else error
            for _, future in batch:
                future.set_exception(told)
            return
        for (_, future), result in zip(batch, results, strict=True):
            future.set_result(result)

    def _transact(self, batch: list[_Pending]) -> list[Any]:
        if self._connection is None:
            self._connection = connect(self._path, self._patience)
        self._connection.execute("BEGIN IMMEDIATE")
        results = [operation(self._connection) for operation, _ in batch]
        self._connection.execute("COMMIT")
        return results

    def _disconnect(self) -> None:
        """Closing rolls back; after a fault the next batch begins with a fresh connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
