"""Which class a failure has, and when a limit ends (AGENT-4)."""

from __future__ import annotations

from datetime import datetime

import pytest

from weft.agents.failures import by_words, classify
from weft.agents.resets import reset_in
from weft.model.phase import FailureClass as F

NOW = datetime(2026, 11, 16, 13, 0).astimezone().timestamp()


@pytest.mark.parametrize(
    ("status", "words", "kind"),
    [
        (429, "slow down", F.RATE_LIMITED),
        (429, "You've hit your usage limit", F.QUOTA),
        (429, "insufficient_quota: check your plan and billing details", F.BILLING),
        (400, "Your credit balance is too low to access the API", F.BILLING),
        (402, "", F.BILLING),
        (403, "", F.AUTH),
        (418, "", F.WORK),
        (599, "", F.TRANSIENT),
        (None, "nothing that tells", F.WORK),
        (None, "Repeated 529 Overloaded errors", F.TRANSIENT),
        (200, "OAuth token has expired", F.AUTH),
    ],
)
def test_classes(status: int | None, words: str, kind: F) -> None:
    """Money and quotas by the words, else by the status, else by the words."""
    assert classify(status, words) is kind


def test_only_the_end_of_long_words_is_looked_at() -> None:
    """Where the error is."""
    assert by_words("401 " + "x" * 10_000) is None
    assert by_words("x" * 10_000 + " 401 Unauthorized") is F.AUTH


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Your quota will reset after 2h0m5s.", 7205),
        ("try again in 3 days 4 hours", 3 * 86400 + 4 * 3600),
        ("Please retry in 12.5s", 12.5),
        ("or try again at 3:33 PM.", 2 * 3600 + 33 * 60),
        ("try again at 12:59 PM.", 86400 - 60),
        ("try again at Nov 18th, 2026 1:00 PM.", 2 * 86400),
    ],
)
def test_the_end_of_a_limit_is_read(words: str, seconds: float) -> None:
    """Spans and moments, as the agents write them; a time of day is the next one."""
    assert reset_in(words, NOW) == pytest.approx(NOW + seconds)


@pytest.mark.parametrize("words", ["", "try again later", "try again at dawn", "resets at 99:99 XM", "in 5 minutes"])
def test_what_cannot_be_read_is_unknown(words: str) -> None:
    """Never a guess."""
    assert reset_in(words, NOW) is None
