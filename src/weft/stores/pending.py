"""Operations that wait for the writer, and telling those who wait. Each event loop is woken once per commit."""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")
AnyFuture: TypeAlias = "asyncio.Future[Any] | concurrent.futures.Future[Any]"


class Pending(NamedTuple, Generic[T]):
    operation: T
    future: AnyFuture
    loop: asyncio.AbstractEventLoop | None


class Outcome(NamedTuple):
    result: Any
    error: BaseException | None = None


def from_loop(operation: T, loop: asyncio.AbstractEventLoop) -> tuple[Pending[T], asyncio.Future[Any]]:
    future: asyncio.Future[Any] = loop.create_future()
    return Pending(operation, future, loop), future


def from_thread(operation: T) -> tuple[Pending[T], concurrent.futures.Future[Any]]:
    future: concurrent.futures.Future[Any] = concurrent.futures.Future()
    return Pending(operation, future, None), future


def settle(batch: Sequence[Pending[Any]], outcomes: Sequence[Outcome]) -> None:
    """Tell everyone, in the order they came."""
    by_loop: defaultdict[asyncio.AbstractEventLoop | None, list[tuple[AnyFuture, Outcome]]] = defaultdict(list)
    for pending, outcome in zip(batch, outcomes, strict=True):
        by_loop[pending.loop].append((pending.future, outcome))
    for loop, settled in by_loop.items():
        if loop is None:
            _tell(settled)
        else:
            # A loop that was closed meanwhile has nobody left who waits.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(_tell, settled)


def _tell(settled: Sequence[tuple[AnyFuture, Outcome]]) -> None:
    for future, outcome in settled:
        if future.done():
            continue
        if outcome.error is not None:
            future.set_exception(outcome.error)
        else:
            future.set_result(outcome.result)
