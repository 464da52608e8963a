"""Measuring on a machine that may have other things to do."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def cpu_seconds(work: Callable[[], T]) -> tuple[float, T]:
    """The processor time of one thread's work: what others do on the machine does not count."""
    started = time.thread_time()
    result = work()
    return time.thread_time() - started, result


def wall_seconds(work: Callable[[], T]) -> tuple[float, T]:
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def best(times: int, measure: Callable[[], float]) -> float:
    """The least disturbed of several measurements."""
    return min(measure() for _ in range(times))
