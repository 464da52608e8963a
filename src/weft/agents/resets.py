"""When a limit ends, out of what an agent says of it: there is no other source where the event has no field for it."""

from __future__ import annotations

import re
import time
from datetime import datetime

_UNITS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}
_SPAN = re.compile(
    r"(?:reset|again|retry)[^.\n]{0,30}?\b(?:in|after)\s+((?:\d+(?:\.\d+)?\s*(?:d|h|m|s)[a-z]*[\s,and]*)+)", re.I
)
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(d|h|m|s)", re.I)
_MOMENT = re.compile(r"(?:again|reset)[^.\n]{0,20}?\bat\s+([^.\n]{4,40}?)(?:\.|\n|$)", re.I)
_FORMS = ("%b %d, %Y %I:%M %p", "%b %dst, %Y %I:%M %p", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S%z")
_CLOCK = "%I:%M %p"
_ORDINAL = re.compile(r"(\d)(?:st|nd|rd|th)\b")


def reset_in(words: str, now: float | None = None) -> float | None:
    """Seconds since the epoch; None where nothing is said, or nothing that can be read."""
    now = time.time() if now is None else now
    span = _SPAN.search(words)
    if span:
        parts = [(float(number), unit.lower()) for number, unit in _PART.findall(span[1])]
        return now + sum(number * _UNITS[unit] for number, unit in parts)
    moment = _MOMENT.search(words)
    return _moment(moment[1].strip(), now) if moment else None


def _moment(text: str, now: float) -> float | None:
    """A date as the user's own time zone has it; a time of day is the next one."""
    text = _ORDINAL.sub(r"\1", text)
    for form in _FORMS:
        try:
            return datetime.strptime(text, form).astimezone().timestamp()
        except (ValueError, OverflowError, OSError):
            continue
    try:
        clock = datetime.strptime(text, _CLOCK).astimezone()
    except ValueError:
        return None
    today = (
        datetime.fromtimestamp(now).astimezone().replace(hour=clock.hour, minute=clock.minute, second=0, microsecond=0)
    )
    return today.timestamp() if today.timestamp() > now else today.timestamp() + _UNITS["d"]
