"""Accounts that agents' sessions are paid from: closed while a quota is used up, narrowed after a burst."""

from __future__ import annotations


class Account:
    """Mutable, and owned by one `State`. Agents that share an account share all of this."""

    __slots__ = ("closed_until", "closures", "halved_at", "name", "open", "quiet_at", "throttle", "wakes", "why")

    def __init__(self, name: str) -> None:
        self.name = name
        self.open = 0
        """Sessions under way."""
        self.closed_until: float | None = None
        """When its quota comes back; None: it is not used up."""
        self.why = ""
        """What the provider said."""
        self.closures = 0
        """In a row, without a session that went well: a reset time that nobody told is guessed longer each time."""
        self.wakes = 0
        """Jobs that wait for the reset, so that not all wake in the same second."""
        self.throttle: int | None = None
        """How many sessions may be open after a burst; None: no burst is remembered."""
        self.halved_at = 0.0
        self.quiet_at: float | None = None
        """When one more may be open, if nothing happens until then."""

    @property
    def full(self) -> bool:
        return self.throttle is not None and self.open >= self.throttle

    def closed(self, at: float) -> bool:
        return self.closed_until is not None and at < self.closed_until

    def snapshot(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)
