"""What a lock may be called."""

from __future__ import annotations

import pytest

from weft.errors import UsageError
from weft.locks.names import label, parse_name, titled


@pytest.mark.parametrize(
    "text",
    [
        *("1.5", "12abc", "1e3", "../x", "-1", "", "0", "007", "+1", " 1", "1 ", "1\n", "٣", "1" * 19),
        *(".", "..", ".x", "_x", "a/b", "a b", "a\0", "é", "#", "##1", "#p-1", "a" * 201),
    ],
)
def test_what_is_no_name_is_refused(text: str) -> None:
    """Anything but a plain number or a name of letters, digits, `.`, `_`, `-` is a mistake, not a file (LOCK-9)."""
    with pytest.raises(UsageError):
        parse_name(text)


@pytest.mark.parametrize(
    ("text", "name"), [("604", "604"), ("#604", "604"), ("p-3f9a", "p-3f9a"), ("shop-lint.fix_2", "shop-lint.fix_2")]
)
def test_numbers_and_names_are_taken(text: str, name: str) -> None:
    """An issue's number, with or without `#`, and the names of jobs that are no issues (LOCK-9)."""
    assert parse_name(text) == name


def test_how_a_lock_is_called_in_messages() -> None:
    """`#` stands before numbers alone."""
    assert (label("604"), titled("604")) == ("#604", "Issue #604")
    assert (label("p-1"), titled("p-1")) == ("p-1", "Job p-1")
