"""Durations as they are written in settings."""

from __future__ import annotations

_UNITS = (("d", 86400), ("h", 3600), ("m", 60))


def duration_text(seconds: float) -> str:
    """`1h30m` for 5400.0."""
    whole, parts = int(seconds), []
    for unit, size in _UNITS:
        count, whole = divmod(whole, size)
        parts += [f"{count}{unit}"] if count else []
    rest = whole + seconds - int(seconds)
    return "".join([*parts, f"{rest:g}s"] if rest or not parts else parts)
