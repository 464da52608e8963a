"""Durations and money as people read them."""

from __future__ import annotations


def duration_text(seconds: float) -> str:
    """`0.4s`, `45s`, `4m 6s`, `1h 2m`, `2d 3h`: the two largest units that count, smaller ones cut off."""
    if seconds < 0.95:
        return f"{max(seconds, 0.0):.1f}s"
    whole = int(seconds + 0.05)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60}s"
    if whole < 86400:
        return f"{whole // 3600}h {whole % 3600 // 60}m"
    return f"{whole // 86400}d {whole % 86400 // 3600}h"


def whole_duration_text(seconds: float) -> str:
    """The same in whole seconds, `0s` for less than one: for lines of a fixed form, which scripts read."""
    return "0s" if seconds < 0.95 else duration_text(seconds)


def money_text(usd: float | None) -> str:
    """`$0.31`; an unknown cost is `$?`, never zero."""
    if usd is None:
        return "$?"
    return "<$0.01" if 0 < usd < 0.01 else f"${usd:,.2f}"
