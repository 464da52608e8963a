"""Which answers are waited for, and how long."""

from __future__ import annotations

from email.utils import formatdate

import pytest

from weft.sources.github.waits import LONGEST, TRIES, Reason, Wait, back_off, used_up, wait_after

NOW = 1_700_000_000.0


def after(status: int, headers: dict[str, str] | None = None, message: str = "", tries: int = 1) -> Wait | None:
    return wait_after(status, headers or {}, message, NOW, tries)


@pytest.mark.parametrize("status", [200, 304, 400, 401, 404, 409, 410, 422])
def test_no_wait(status: int) -> None:
    """Asking again would not help."""
    assert after(status) is None


def test_primary() -> None:
    """Until the reset, and one second more, since it is given in whole seconds."""
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOW) + 600)}
    assert after(403, headers) == Wait(601.0, Reason.PRIMARY)
    assert used_up(headers, NOW) == Wait(601.0, Reason.PRIMARY)
    assert used_up({**headers, "x-ratelimit-remaining": "1"}, NOW) is None


def test_the_servers_clock_counts() -> None:
    """This machine's clock may be hours off."""
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOW) + 7800)}
    headers["date"] = formatdate(NOW + 7200, usegmt=True)
    assert after(403, headers) == Wait(601.0, Reason.PRIMARY)


@pytest.mark.parametrize("reset", ["99999999999999", "-5", "soon", "", "1"])
def test_odd_resets(reset: str) -> None:
    """What a header says is believed within bounds: from a second to an hour."""
    wait = after(403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": reset})
    assert wait is not None
    assert 1.0 <= wait.seconds <= LONGEST


def test_secondary() -> None:
    """As long as `retry-after` says; by its words alone a minute, doubling."""
    assert after(403, {"retry-after": "7", "x-ratelimit-remaining": "0"}) == Wait(8.0, Reason.SECONDARY)
    words = "You have exceeded a secondary rate limit. Please wait"
    assert [after(403, {}, words, tries) for tries in (1, 2, 9)] == [
        Wait(60.0, Reason.SECONDARY),
        Wait(120.0, Reason.SECONDARY),
        Wait(LONGEST, Reason.SECONDARY),
    ]
    assert after(429) == Wait(60.0, Reason.SECONDARY)
    assert after(429, {"retry-after": "Wed, 21 Oct 2025 07:28:00 GMT"}) == Wait(60.0, Reason.SECONDARY)


def test_a_limit_is_never_given_up() -> None:
    """However often it came."""
    assert after(429, {"retry-after": "1"}, tries=10_000) is not None
    assert after(403, {}, "secondary rate limit", tries=10_000) is not None


def test_faults_are() -> None:
    """1, 2, 4, 8, 16 seconds, then no more; a 403 for want of rights at once."""
    waits = [after(502, tries=tries) for tries in range(1, TRIES + 1)]
    assert [wait.seconds if wait else None for wait in waits] == [1, 2, 4, 8, 16, None]
    assert back_off(TRIES, Reason.NETWORK) is None
    assert after(403, {"x-ratelimit-remaining": "17"}, "Resource not accessible") is None


def test_words() -> None:
    """What the user reads while nothing seems to happen."""
    assert str(Wait(754.0, Reason.PRIMARY)) == "GitHub's rate limit is used up: waiting 12m 34s, then going on"
