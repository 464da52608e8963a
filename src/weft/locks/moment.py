"""Moments as lock files write them: ISO 8601, UTC. `datetime` is too slow to import for a command that only looks."""

from __future__ import annotations

import re
import time
from calendar import timegm

_WRITTEN = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(?:Z|\+00:00)", re.ASCII)


def written(moment: float) -> str:
    """`2026-05-10T14:32:00Z`."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


def written_with_millis(moment: float) -> str:
    """`2026-05-10T14:32:00.256Z`."""
    whole = int(moment)
    return f"{written(whole)[:-1]}.{int((moment - whole) * 1000):03d}Z"


def read(text: str | None) -> float | None:
    """None for what is no moment in UTC."""
    found = _WRITTEN.fullmatch(text or "")
    if not found:
        return None
    try:
        whole = timegm((*map(int, found.groups()[:6]), 0, 0, 0))
    except (ValueError, OverflowError):
        return None
    return whole + float(found[7] or 0)
