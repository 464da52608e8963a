"""Waiting for something that another process does: a condition is looked at again and again, and has a last moment."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 60.0
"""Seconds; far more than anything takes, so that only what never comes fails."""
INTERVAL = 0.01


def until(condition: Callable[[], object], what: Callable[[], str] = lambda: "the condition did not come") -> None:
    last = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < last, what()
        time.sleep(INTERVAL)
