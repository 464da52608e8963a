"""Moments in lock files."""

from __future__ import annotations

import pytest

from weft.locks import moment


def test_written_and_read() -> None:
    """ISO 8601 in UTC, whole seconds; the other tool's with milliseconds (LOCK-2, LOCK-14)."""
    assert moment.written(1778423520.9) == "2026-05-10T14:32:00Z"
    assert moment.written_with_millis(1778423520.256) == "2026-05-10T14:32:00.256Z"
    assert moment.read("2026-05-10T14:32:00Z") == 1778423520.0
    assert moment.read("2026-05-10T14:32:00.256Z") == pytest.approx(1778423520.256)


@pytest.mark.parametrize("text", [None, "", "now", "2026-05-10", "2026-13-10T14:32:00Z", "2026-05-10T14:32:00+02:00"])
def test_what_is_no_moment(text: str | None) -> None:
    """None rather than an error or a guess."""
    assert moment.read(text) is None
