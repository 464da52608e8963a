"""Sizes as settings have them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.model.sizes import parse_size, size_text
from weft.settings.rules import SIZE


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("0MB", 0),
        ("512MB", 512_000_000),
        ("512 mb", 512_000_000),
        ("1.5GB", 1_500_000_000),
        ("7B", 7),
        ("2TB", 2 * 10**12),
        ("3KB", 3000),
    ],
)
def test_what_a_size_may_be(text: str, size: int) -> None:
    """A number and its unit, in thousands."""
    assert parse_size(text) == size


def test_nothing_without_quotes() -> None:
    """`min_free_disk = 0`, as the reference has it; other bare numbers, and `false`, are no sizes."""
    assert SIZE.read(0) == 0
    for value in (1, False, 0.0):
        with pytest.raises(ValueError, match=r"^"):
            SIZE.read(value)


@pytest.mark.parametrize("text", ["", "12", "-1MB", "MB", "1 XB", "1e3MB", "1,5GB", "1GB2MB", "٣MB"])
def test_what_it_may_not_be(text: str) -> None:
    """A number alone is no size: nobody means so few bytes."""
    with pytest.raises(ValueError, match=r"^"):
        parse_size(text)


@given(st.integers(0, 10**15))
def test_what_is_shown_can_be_written(size: int) -> None:
    """Rounded to a tenth of its unit."""
    shown = size_text(size)
    assert abs(parse_size(shown) - size) <= size * 0.051
