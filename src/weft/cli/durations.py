"""Durations given as flags."""

from __future__ import annotations

from weft.errors import UsageError
from weft.pipelines.duration import parse_duration


def seconds_of(flag: str, text: str) -> float:
    try:
        return parse_duration(text)
    except ValueError:
        raise UsageError(
            f"Invalid {flag} value: {text}. Must be a duration such as `90s`, `12h` or `7d`.",
            hint="write a number and a unit: s, m, h, d or w",
        ) from None
