"""The hours in which runs may start, and since when it is the current night: pure functions of the moment."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo

import msgspec

DAY = timedelta(days=1)


class Window(msgspec.Struct, frozen=True):
    """A span of every day on the wall's clock; one that ends before it begins goes over midnight."""

    begins: time
    ends: time

    def holds(self, moment: datetime, zone: tzinfo) -> bool:
        """Whether it is open. By the wall's clock: a night with a change of the hour is an hour longer or shorter."""
        at = moment.astimezone(zone).time()
        if self.begins < self.ends:
            return self.begins <= at < self.ends
        return at >= self.begins or at < self.ends  # also `06:00-06:00`: all day

    def last_begin(self, moment: datetime, zone: tzinfo) -> datetime:
        """When it last opened, at or before the moment."""
        today = moment.astimezone(zone).date()
        return max(begin for begin in self._begins(today, zone) if begin <= moment)

    def next_begin(self, moment: datetime, zone: tzinfo) -> datetime:
        """When it opens next, after the moment."""
        today = moment.astimezone(zone).date()
        return min(begin for begin in self._begins(today, zone) if begin > moment)

    def _begins(self, day: date, zone: tzinfo) -> list[datetime]:
        return [_at(day + DAY * days, self.begins, zone) for days in (-2, -1, 0, 1, 2)]


def parse_window(text: str) -> Window | None:
    """`22:00-06:00`, as settings have checked it; None for an empty one: always open."""
    if not text:
        return None
    begins, ends = (time.fromisoformat(part) for part in text.split("-"))
    return Window(begins, ends)


def period_begin(moment: datetime, zone: tzinfo, window: Window | None) -> datetime:
    """Since when it is the current night: the window's last beginning, so that midnight does not split it; without a
    window the local day's.
    """
    if window is not None:
        return window.last_begin(moment, zone)
    return _at(moment.astimezone(zone).date(), time(0, 0), zone)


def due_again(began: datetime, cooldown: float, zone: tzinfo, window: Window | None) -> datetime:
    """When what a run of that beginning did is due again: so many seconds, by the wall's clock, after its night began.
    Counted from its end, `1d` would be every other night.
    """
    night = period_begin(began, zone, window).astimezone(zone)
    return (night + timedelta(seconds=cooldown)).astimezone(UTC)


def _at(day: date, clock: time, zone: tzinfo) -> datetime:
    """That time of that day, in UTC, where moments compare as what they are. A time that the clock skips in spring is
    as long after the gap as it would have been into it; of one that comes twice in autumn it is the first.
    """
    return datetime.combine(day, clock, tzinfo=zone).astimezone(UTC)
