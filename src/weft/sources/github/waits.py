"""What an answer that is no success means for the next request: wait and ask again, or give up. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from enum import Enum

import msgspec

from weft.board.durations import duration_text

LONGEST = 3600.0
"""No limit of GitHub's lasts longer; a header that says so is not believed, but asked again."""
_SECONDARY_FIRST = 60.0
_MARGIN = 1.0
"""Seconds added to a moment that is given in whole seconds."""
TRIES = 6
"""How often a request is made when the server or the network is what fails."""


class Reason(Enum):
    PRIMARY = "GitHub's rate limit is used up"
    SECONDARY = "GitHub asks for fewer requests for a while"
    SERVER = "GitHub has a fault"
    NETWORK = "GitHub cannot be reached"


class Wait(msgspec.Struct, frozen=True):
    seconds: float
    reason: Reason

    @property
    def is_limit(self) -> bool:
        """Whether all requests have to wait, not this one alone."""
        return self.reason in (Reason.PRIMARY, Reason.SECONDARY)

    def __str__(self) -> str:
        return f"{self.reason.value}: waiting {duration_text(self.seconds)}, then going on"


def wait_after(status: int, headers: Mapping[str, str], message: str, now: float, tries: int) -> Wait | None:
    """How long to wait before asking again; None where that would not help. `tries` counts those made so far.

    Headers are by small letters. What names a moment is measured by the server's own clock.
    """
    if status in (403, 429):
        return _limit(status, headers, message, now, tries)
    if status >= 500 or status == 408:
        return back_off(tries, Reason.SERVER)
    return None


def back_off(tries: int, reason: Reason) -> Wait | None:
    """1, 2, 4, 8, 16 seconds, then no more."""
    return Wait(2.0 ** (tries - 1), reason) if tries < TRIES else None


def used_up(headers: Mapping[str, str], now: float) -> Wait | None:
    """An answer that was the last one before the limit."""
    if headers.get("x-ratelimit-remaining") != "0":
        return None
    return Wait(_until_reset(headers, now), Reason.PRIMARY)


def _limit(status: int, headers: Mapping[str, str], message: str, now: float, tries: int) -> Wait | None:
    after = _number(headers.get("retry-after"))
    if after is not None:
        return Wait(min(after + _MARGIN, LONGEST), Reason.SECONDARY)
    if "secondary rate" in message.lower() or "abuse" in message.lower():
        return Wait(min(_SECONDARY_FIRST * 2 ** min(tries - 1, 10), LONGEST), Reason.SECONDARY)
    if headers.get("x-ratelimit-remaining") == "0":
        return Wait(_until_reset(headers, now), Reason.PRIMARY)
    return Wait(_SECONDARY_FIRST, Reason.SECONDARY) if status == 429 else None


def _until_reset(headers: Mapping[str, str], now: float) -> float:
    reset = _number(headers.get("x-ratelimit-reset"))
    if reset is None:
        return _SECONDARY_FIRST
    return min(max(reset - _server_time(headers, now), 0.0) + _MARGIN, LONGEST)


def _server_time(headers: Mapping[str, str], now: float) -> float:
    """This machine's clock may be wrong; the answer says what the server's shows."""
    try:
        return parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, ValueError, TypeError):
        return now


def _number(text: str | None) -> float | None:
    return float(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 16 else None
