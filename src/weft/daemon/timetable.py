"""When the next run starts: pure functions of the settings, the moment and the last start (PROJ-8)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo

import msgspec

from weft.assembly.windows import Window, parse_window
from weft.errors import UsageError
from weft.settings.sections import Schedule

MOST_FIRES = 5000
"""Of a cron line that are looked at for one within the window: more than a minute-by-minute one has between windows."""


class Timetable(msgspec.Struct, frozen=True):
    """`cron` or `every`, and the hours in which runs may start."""

    zone: tzinfo
    cron: str = ""
    every: float | None = None
    window: Window | None = None

    def is_open(self, now: datetime) -> bool:
        return self.window is None or self.window.holds(now, self.zone)

    def next_start(self, now: datetime, last: datetime | None = None) -> datetime | None:
        """The first moment from now on at which a run is to start; None: there is none within the window.

        `last`: when a run last started. The answer is in UTC.
        """
        if self.cron:
            return self._next_by_cron(now)
        assert self.every is not None
        due = now if last is None else max(now, last + timedelta(seconds=self.every))
        if self.is_open(due):
            return due.astimezone(UTC)
        assert self.window is not None
        return self.window.next_begin(due, self.zone)

    def _next_by_cron(self, now: datetime) -> datetime | None:
        for fire, _ in zip(fires(self.cron, now, self.zone), range(MOST_FIRES), strict=False):
            if self.is_open(fire):
                return fire
        return None


def timetable_of(schedule: Schedule, zone: tzinfo) -> Timetable:
    """UsageError where no schedule is set: a daemon without one would wait for ever."""
    if not schedule.cron and schedule.every is None:
        raise UsageError(
            "no schedule is set", hint='set `cron = "0 22 * * *"` or `every = "1h"` under `[schedule]` in weft.toml'
        )
    return Timetable(zone, schedule.cron, schedule.every, parse_window(schedule.window))


def fires(cron: str, after: datetime, zone: tzinfo) -> Iterator[datetime]:
    """The moments of a cron line, in UTC, by the wall's clock of the zone. An hour that comes twice in autumn counts
    twice only for lines that name no hour.
    """
    from croniter import CroniterBadDateError, croniter  # slow to import, and only a daemon needs it

    moments = croniter(cron, after.astimezone(zone))
    names_hours = not cron.split()[1].startswith("*")
    while True:
        try:
            local = moments.get_next(datetime).astimezone(zone)
        except CroniterBadDateError:  # the 30th of February
            return
        moment = local.astimezone(UTC)
        if moment > after and not (names_hours and local.fold):
            yield moment
