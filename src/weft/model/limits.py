"""What a provider says of an account's limits while it works."""

from __future__ import annotations

from enum import Enum

import msgspec


class LimitStatus(Enum):
    ALLOWED = "allowed"
    WARNING = "allowed_warning"
    """Served, but the end of the allowance is near."""
    REJECTED = "rejected"


class RateLimit(msgspec.Struct, frozen=True):
    """One window of an allowance, as the provider last told of it."""

    status: LimitStatus
    window: str = "account"
    resets_at: float | None = None
    """Seconds since the epoch."""
    used: float | None = None
    """The part that is used up, from 0 to 1."""
