"""Epoch seconds as ISO 8601 in UTC, by arithmetic alone: the board has no clock to import."""

from __future__ import annotations

_DAY = 86_400_000
_MS_PER_HOUR = 3_600_000
_DAYS_TO_1970 = 719_468
"""From 1 March of year 0."""
_DAYS_PER_ERA = 146_097
"""400 years."""


def iso_time(at: float) -> str:
    """`2026-03-26T14:05:09.120Z`."""
    days, rest = divmod(round(at * 1000), _DAY)
    year, month, day = _civil(days)
    hours, rest = divmod(rest, _MS_PER_HOUR)
    minutes, rest = divmod(rest, 60_000)
    seconds, millis = divmod(rest, 1000)
    return f"{year:04d}-{month:02d}-{day:02d}T{hours:02d}:{minutes:02d}:{seconds:02d}.{millis:03d}Z"


def _civil(days: int) -> tuple[int, int, int]:
    """Days since 1970 as a date of the Gregorian calendar; years begin in March, so that a leap day comes last."""
    era, day_of_era = divmod(days + _DAYS_TO_1970, _DAYS_PER_ERA)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    return era * 400 + year_of_era + (month <= 2), month, day
