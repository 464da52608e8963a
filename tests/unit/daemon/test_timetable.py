"""When the next run starts: pure functions of the settings and the moment (PROJ-8)."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.assembly.windows import Window
from weft.daemon.timetable import Timetable, fires, timetable_of
from weft.errors import UsageError
from weft.settings.sections import Schedule

BERLIN = ZoneInfo("Europe/Berlin")
NIGHT = Window(time(22), time(6))
HOUR = 3600.0


def berlin(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN)


def test_cron_within_the_window() -> None:
    """PROJ-8: of an hourly line only the moments count that lie in the window, over midnight too."""
    hourly = Timetable(BERLIN, cron="0 * * * *", window=NIGHT)
    assert hourly.next_start(berlin("2026-05-05T12:00")) == berlin("2026-05-05T22:00")
    assert hourly.next_start(berlin("2026-05-05T23:10")) == berlin("2026-05-06T00:00")
    assert hourly.next_start(berlin("2026-05-06T05:30")) == berlin("2026-05-06T22:00")


def test_cron_is_by_the_clock_of_the_zone() -> None:
    """PROJ-8: 22:00 in Berlin is another moment in UTC in summer than in winter."""
    nightly = Timetable(BERLIN, cron="0 22 * * *")
    assert nightly.next_start(datetime(2026, 7, 1, tzinfo=UTC)) == datetime(2026, 7, 1, 20, tzinfo=UTC)
    assert nightly.next_start(datetime(2026, 12, 1, tzinfo=UTC)) == datetime(2026, 12, 1, 21, tzinfo=UTC)


@pytest.mark.parametrize("day", ["2026-03-28T12:00", "2026-10-24T12:00"])
def test_cron_in_a_night_with_a_change_of_the_hour(day: str) -> None:
    """PROJ-8: a line for 02:30 has one run in such a night, neither none nor two."""
    found = list(islice(fires("30 2 * * *", berlin(day), BERLIN), 3))
    nights = [moment.astimezone(BERLIN).date() for moment in found]
    assert len(set(nights)) == 3


def test_cron_through_an_hour_that_comes_twice() -> None:
    """PROJ-8: a line for every twenty minutes goes on through both of them, and no moment comes twice."""
    found = list(islice(fires("*/20 * * * *", berlin("2026-10-25T01:30"), BERLIN), 9))
    assert [later - earlier for earlier, later in pairwise(found)] == [timedelta(minutes=20)] * 8


def test_a_schedule_that_never_meets_its_window() -> None:
    """PROJ-8: noon is not at night; there is no next run, and the search ends."""
    assert Timetable(BERLIN, cron="0 12 * * *", window=NIGHT).next_start(berlin("2026-05-05T12:00")) is None


def test_a_cron_line_that_has_no_moment() -> None:
    """PROJ-8: the 30th of February never comes, and that is no crash."""
    assert list(fires("0 0 30 2 *", berlin("2026-05-05T12:00"), BERLIN)) == []
    assert Timetable(BERLIN, cron="0 0 30 2 *").next_start(berlin("2026-05-05T12:00")) is None


def test_every_so_often() -> None:
    """PROJ-8: at once where nothing ran before, else so long after the last start."""
    hourly = Timetable(BERLIN, every=HOUR)
    now = berlin("2026-05-05T12:00")
    assert hourly.next_start(now) == now
    assert hourly.next_start(now, now - timedelta(minutes=20)) == now + timedelta(minutes=40)
    assert hourly.next_start(now, now - timedelta(days=3)) == now


def test_every_so_often_waits_for_the_window() -> None:
    """PROJ-8: what falls outside the window starts when it opens."""
    hourly = Timetable(BERLIN, every=HOUR, window=NIGHT)
    assert hourly.next_start(berlin("2026-05-05T12:00")) == berlin("2026-05-05T22:00")
    last = berlin("2026-05-06T05:30")
    assert hourly.next_start(berlin("2026-05-06T05:45"), last) == berlin("2026-05-06T22:00")
    assert hourly.next_start(berlin("2026-05-05T23:10"), berlin("2026-05-05T23:00")) == berlin("2026-05-06T00:00")


def test_without_a_schedule() -> None:
    """PROJ-8: a daemon without a schedule is refused, with what to set."""
    with pytest.raises(UsageError, match="no schedule is set"):
        timetable_of(Schedule(), BERLIN)


moments = st.datetimes(min_value=datetime(2020, 1, 1), max_value=datetime(2035, 1, 1)).map(  # noqa: DTZ001
    lambda moment: moment.replace(tzinfo=UTC)
)
zones = st.sampled_from(["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "UTC"]).map(ZoneInfo)


@given(moments, zones, st.sampled_from(["*/20 * * * *", "30 2 * * *", "0 22 * * 1-5"]), st.booleans())
def test_a_start_is_never_past_and_always_within_the_window(
    now: datetime, zone: ZoneInfo, cron: str, windowed: bool
) -> None:
    """PROJ-8: whatever the moment and the zone, the next start lies ahead and within the window."""
    timetable = Timetable(zone, cron=cron, window=NIGHT if windowed else None)
    start = timetable.next_start(now)
    assert start is not None
    assert start > now
    assert timetable.is_open(start)


@given(moments, zones, st.floats(60.0, 1e6), st.floats(0.0, 1e6))
def test_every_is_never_sooner(now: datetime, zone: ZoneInfo, every: float, ago: float) -> None:
    """PROJ-8: between two starts lies at least `every`, and the next one is within the window."""
    last = now - timedelta(seconds=ago)
    timetable = Timetable(zone, every=every, window=NIGHT)
    start = timetable.next_start(now, last)
    assert start is not None
    assert start >= max(now, last + timedelta(seconds=every))
    assert timetable.is_open(start)
