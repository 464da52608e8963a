"""Moments as lock files write them: ISO 8601, UTC."""

from __future__ import annotations

import re
import time

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
    from datetime import UTC, datetime  # a look at a free lock needs none

    year, month, day, hour, minute, second = map(int, found.groups()[:6])
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp() + float(found[7] or 0)
    except ValueError:
        return None
