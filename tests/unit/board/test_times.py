"""Times and durations as text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.board.durations import duration_text, money_text, whole_duration_text
from weft.board.times import iso_time

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECONDS = st.integers(-62_135_596_800_000, 253_402_300_799_000)
"""Years 1 to 9999."""


@given(MILLISECONDS)
def test_iso_times_agree_with_the_standard_library(millis: int) -> None:
    """Times are ISO 8601 in UTC: leap years, centuries and times before 1970 included."""
    expected = EPOCH + timedelta(milliseconds=millis)
    assert iso_time(millis / 1000) == expected.strftime(f"{expected.year:04d}-%m-%dT%H:%M:%S.") + (
        f"{expected.microsecond // 1000:03d}Z"
    )


@given(st.floats(0, 4e9))
def test_iso_times_are_read_back(at: float) -> None:
    """What is printed can be parsed, to the millisecond."""
    assert abs(datetime.fromisoformat(iso_time(at)).timestamp() - at) <= 0.001


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-3, "0.0s"),
        (0, "0.0s"),
        (0.4, "0.4s"),
        (0.94, "0.9s"),
        (0.96, "1s"),
        (1, "1s"),
        (45, "45s"),
        (59.97, "1m 0s"),
        (246, "4m 6s"),
        (735, "12m 15s"),
        (3599, "59m 59s"),
        (3720, "1h 2m"),
        (86400 * 2 + 3600 * 3, "2d 3h"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    """RUN-10: the two largest units that count."""
    assert duration_text(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(-3, "0s"), (0, "0s"), (0.94, "0s"), (0.95, "1s"), (59.9, "59s"), (246, "4m 6s")]
)
def test_whole_durations(seconds: float, text: str) -> None:
    """RUN-10, RUN-11, RUN-15: the lines that scripts read have no fractions."""
    assert whole_duration_text(seconds) == text


@pytest.mark.parametrize(
    ("usd", "text"), [(None, "$?"), (0.0, "$0.00"), (0.004, "<$0.01"), (0.31, "$0.31"), (1234.5, "$1,234.50")]
)
def test_money(usd: float | None, text: str) -> None:
    """RUN-15: a cost nobody told is not shown as nothing."""
    assert money_text(usd) == text
