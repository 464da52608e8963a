"""Durations as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.pipelines.duration import UNITS, parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90),
        ("30m", 1800),
        ("1h30m", 5400),
        ("2d", 172800),
        ("1.5h", 5400),
        ("250ms", 0.25),
        (" 5s ", 5),
        ("0s", 0),
    ],
)
def test_reads_what_people_write(text: str, seconds: float) -> None:
    """Every unit counts, and they add up."""
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text", ["", "30", "m", "abc", "-5m", "5 m", "1m1h", "1m1m", "1e3s", "∞", "5x", "1h-30m", "9" * 200 + "s"]
)
def test_refuses_what_could_mean_something_else(text: str) -> None:
    """A number without a unit, units in disorder or twice, signs and exponents are refused."""
    with pytest.raises(ValueError, match="duration"):
        parse_duration(text)


@given(st.text(max_size=30))
def test_any_text_is_a_number_or_a_value_error(text: str) -> None:
    """No text makes it raise anything else or answer a negative or endless time."""
    try:
        seconds = parse_duration(text)
    except ValueError:
        return
    assert 0 <= seconds < float("inf")


@given(st.lists(st.integers(0, 500), min_size=len(UNITS), max_size=len(UNITS)))
def test_parts_add_up(numbers: list[int]) -> None:
    """The whole is the sum of its parts."""
    text = "".join(f"{number}{unit}" for number, unit in zip(numbers, UNITS, strict=True))
    expected = sum(number * size for number, size in zip(numbers, UNITS.values(), strict=True))
    assert parse_duration(text) == pytest.approx(expected)
