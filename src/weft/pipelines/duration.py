"""Durations as people write them: `90s`, `30m`, `1h30m`, `2d`."""

from __future__ import annotations

import re
from itertools import pairwise

UNITS = {"w": 604800.0, "d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}

_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|[wdhms])")
_WHOLE = re.compile(rf"(?:{_PART.pattern})+")
_LONGEST = 100


def parse_duration(text: str) -> float:
    """Seconds; ValueError unless every unit is named, at most once and from large to small."""
    text = text.strip()
    if len(text) > _LONGEST or not _WHOLE.fullmatch(text):
        raise ValueError(f"`{text[:_LONGEST]}` is not a duration such as `90s`, `30m`, `1h30m` or `2d`")
    parts = _PART.findall(text)
    sizes = [UNITS[unit] for _, unit in parts]
    if any(later >= earlier for earlier, later in pairwise(sizes)):
        raise ValueError(f"`{text}` is not a duration: write each unit once, from large to small, such as `1h30m`")
    return sum(float(number) * UNITS[unit] for number, unit in parts)


_WRITTEN = (("d", 86400), ("h", 3600), ("m", 60))


def duration_text(seconds: float) -> str:
    """`1h30m` for 5400.0."""
    whole, parts = int(seconds), []
    for unit, size in _WRITTEN:
        count, whole = divmod(whole, size)
        parts += [f"{count}{unit}"] if count else []
    rest = whole + seconds - int(seconds)
    return "".join([*parts, f"{rest:g}s"] if rest or not parts else parts)
