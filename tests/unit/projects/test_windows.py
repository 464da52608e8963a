"""Windows over midnight and over changes of the hour: pure functions of the moment (PROJ-4, PROJ-8)."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.assembly.windows import Window, due_again, parse_window, period_begin

BERLIN = ZoneInfo("Europe/Berlin")
NIGHT = Window(time(22), time(6))


def berlin(text: str, fold: int = 0) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN, fold=fold)


@pytest.mark.parametrize(
    ("clock", "is_open"),
    [("21:59", False), ("22:00", True), ("23:59", True), ("00:00", True), ("05:59", True), ("06:00", False)],
)
def test_over_midnight(clock: str, is_open: bool) -> None:
    """PROJ-8: `22:00-06:00` is open from 22:00 on, through midnight, and closed at 06:00."""
    assert NIGHT.holds(berlin(f"2026-05-05T{clock}"), BERLIN) is is_open


@pytest.mark.parametrize(("clock", "is_open"), [("08:59", False), ("09:00", True), ("16:59", True), ("17:00", False)])
def test_within_a_day(clock: str, is_open: bool) -> None:
    """PROJ-8: a window that ends after it begins lies within one day."""
    window = parse_window("09:00-17:00")
    assert window is not None
    assert window.holds(berlin(f"2026-05-05T{clock}"), BERLIN) is is_open


def test_as_settings_write_it() -> None:
    """PROJ-8: `22:00-06:00`."""
    assert parse_window("22:00-06:00") == NIGHT


def test_all_day_and_none() -> None:
    """PROJ-8: a window that ends when it begins is the whole day; an empty one is no window."""
    window = parse_window("06:00-06:00")
    assert window is not None
    assert all(window.holds(berlin(f"2026-05-05T{hour:02}:30"), BERLIN) for hour in range(24))
    assert parse_window("") is None


@pytest.mark.parametrize("moment", ["2026-05-05T22:00", "2026-05-06T00:30", "2026-05-06T05:00", "2026-05-06T21:00"])
def test_midnight_does_not_split_a_night(moment: str) -> None:
    """PROJ-4: the night begins when the window opens and lasts until it opens again: before and after midnight, and
    the day after, are the same one.
    """
    assert period_begin(berlin(moment), BERLIN, NIGHT) == berlin("2026-05-05T22:00")


def test_without_a_window_the_local_day_counts() -> None:
    """PROJ-4: without a schedule it is the calendar day of the time zone, not of UTC."""
    assert period_begin(datetime(2026, 5, 5, 22, 30, tzinfo=UTC), BERLIN, None) == berlin("2026-05-06T00:00")


def test_a_night_with_a_change_of_the_hour() -> None:
    """PROJ-8: in spring the night is an hour shorter and in autumn an hour longer, by the wall's clock both end at
    06:00; both hours that are called 02:30 in autumn are within.
    """
    assert NIGHT.holds(berlin("2026-03-29T03:30"), BERLIN)
    assert not NIGHT.holds(berlin("2026-03-29T06:00"), BERLIN)
    assert NIGHT.holds(berlin("2026-10-25T02:30", fold=0), BERLIN)
    assert NIGHT.holds(berlin("2026-10-25T02:30", fold=1), BERLIN)
    spring = NIGHT.next_begin(berlin("2026-03-29T12:00"), BERLIN) - NIGHT.last_begin(berlin("2026-03-29T12:00"), BERLIN)
    autumn = NIGHT.next_begin(berlin("2026-10-25T12:00"), BERLIN) - NIGHT.last_begin(berlin("2026-10-25T12:00"), BERLIN)
    assert (spring, autumn) == (timedelta(hours=23), timedelta(hours=25))


def test_a_beginning_that_the_clock_skips_or_has_twice() -> None:
    """PROJ-8: a window that begins at 02:30 begins once in each night of a change: after the gap, and at the first of
    two.
    """
    window = parse_window("02:30-05:00")
    assert window is not None
    assert window.next_begin(berlin("2026-03-29T00:00"), BERLIN) == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    assert window.next_begin(berlin("2026-10-25T00:00"), BERLIN) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    after = window.next_begin(berlin("2026-10-25T02:45", fold=1), BERLIN)
    assert after == berlin("2026-10-26T02:30")


moments = st.datetimes(min_value=datetime(2000, 1, 1), max_value=datetime(2040, 1, 1)).map(  # noqa: DTZ001
    lambda moment: moment.replace(tzinfo=UTC)
)
clocks = st.times().map(lambda clock: clock.replace(second=0, microsecond=0, tzinfo=None))


@given(moments, clocks, clocks, st.sampled_from(["Europe/Berlin", "America/St_Johns", "Pacific/Apia", "UTC"]))
def test_any_moment_lies_between_two_beginnings(moment: datetime, begins: time, ends: time, name: str) -> None:
    """PROJ-4: whatever the zone, the last beginning is not after the moment, the next one is, and none is between;
    so nights follow each other without a gap.
    """
    zone = ZoneInfo(name)
    window = Window(begins, ends)
    last, following = window.last_begin(moment, zone), window.next_begin(moment, zone)
    assert last <= moment < following
    assert window.next_begin(last, zone) == following
    assert window.last_begin(following, zone) == following


@pytest.mark.parametrize(
    "evening",
    ["2026-05-05", "2026-03-28", "2026-10-24"],
    ids=["any night", "an hour is skipped", "an hour comes twice"],
)
@pytest.mark.parametrize("late", [0, 20, 300])
def test_a_cooldown_of_a_day_is_every_night(evening: str, late: int) -> None:
    """PROJ-1: a task of a run that began late in its night is due again as the night so many days later begins,
    whatever the clock does between, and not a moment before.
    """
    began = berlin(f"{evening}T22:00") + timedelta(minutes=late)
    for days in (1, 7):
        again = due_again(began, days * 86400.0, BERLIN, NIGHT)
        assert again == berlin(f"{evening}T22:00") + timedelta(days=days)
        assert period_begin(again, BERLIN, NIGHT) == again


def test_a_cooldown_without_a_window_counts_from_the_day() -> None:
    """PROJ-1: without a schedule the local calendar day is the night."""
    assert due_again(berlin("2026-05-05T15:30"), 86400.0, BERLIN, None) == berlin("2026-05-06T00:00")
