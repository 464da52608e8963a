"""What a run finds spent when it starts: days and weeks, shares of an allowance, prices (BUDGET-3, BUDGET-4)."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from weft.assembly.spent import beginnings
from weft.model.budget import Scope, Unit, daily_allowance, granted, share_of_allowance

BERLIN = ZoneInfo("Europe/Berlin")


def moment(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN).timestamp()


def test_days_begin_at_local_midnight() -> None:
    """Also those on which the clock is put back: that one has 25 hours."""
    begins = beginnings(Scope.DAY, moment("2026-10-24T13:00"), BERLIN)
    hours = [round((after - before) / 3600) for before, after in pairwise(begins)]
    assert hours[:3] == [24, 25, 24]
    assert begins[0] == moment("2026-10-24T00:00")


def test_weeks_begin_on_monday() -> None:
    """The week of a Sunday evening is not the one of the Monday after."""
    sunday, monday = (beginnings(Scope.WEEK, moment(f"2026-11-{day}T23:30"), BERLIN) for day in (15, 16))
    assert datetime.fromtimestamp(sunday[0], BERLIN).isoformat() == "2026-11-09T00:00:00+01:00"
    assert sunday[1] == monday[0]


def test_the_zone_decides() -> None:
    """Half past eleven in the evening there is another day elsewhere."""
    at = moment("2026-11-16T00:30")
    assert beginnings(Scope.DAY, at, UTC)[0] < beginnings(Scope.DAY, at, BERLIN)[0]


@pytest.mark.parametrize(
    ("allowance", "used", "most", "reserve", "left"),
    [
        (1000, 0.0, 75, 5, 700.0),
        (1000, 0.5, 75, 5, 325.0),
        (1000, 1.0, 75, 5, 0.0),
        (1000, 0.95, 75, 5, 0.0),
        (1000, 0.0, 100, 0, 1000.0),
        (1000, 0.2, 100, 10, 700.0),
    ],
)
def test_share_of_an_allowance(allowance: float, used: float, most: float, reserve: float, left: float) -> None:
    """BUDGET-4: allowance × (1 − used) × max% − base × reserve%, and never less than nothing."""
    assert share_of_allowance(allowance, used, most, reserve) == pytest.approx(left)


def test_a_day_is_a_seventh_of_a_week() -> None:
    """BUDGET-4: whole tokens, dollars as they are."""
    assert daily_allowance(1000, Unit.TOKENS) == 142
    assert daily_allowance(10.5, Unit.USD) == 1.5


@pytest.mark.parametrize(
    ("wanted", "left", "alone", "gets"),
    [
        (10, 10, False, 10),
        (10, 9, False, None),
        (10, 9, True, 9),
        (10, 2, True, None),
        (0, 1, False, 0),
        (0, 0, True, None),
    ],
)
def test_what_is_granted(wanted: float, left: float, alone: bool, gets: float | None) -> None:
    """All of it, or the rest for one that is alone if that is a quarter at least; nothing of an empty limit."""
    assert granted(wanted, left, alone=alone) == gets
