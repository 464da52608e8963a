"""What is left of one limit: spent, set aside for sessions under way, seen of those so far."""

from __future__ import annotations

from bisect import bisect_right

from weft.model.budget import TINY, Limit, Unit, amount_text, granted


class Pot:
    """Mutable, and owned by one `Ledger`. All figures are in the limit's unit."""

    __slots__ = ("before", "excess", "held", "limit", "open", "period", "reserved", "spent", "used")

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self.before = limit.before
        """By other runs."""
        self.spent = 0.0
        """By this run's sessions that are over."""
        self.open = 0
        """Sessions under way."""
        self.reserved = 0.0
        """What was set aside for those."""
        self.held = 0.0
        """What is set aside for those, or what they were seen to use where that is more."""
        self.used = 0.0
        """What they were seen to use."""
        self.excess = 0.0
        """By how much sessions used more than was set aside for them."""
        self.period = 0
        """Which day or week it is, counted from the one in which the run was planned."""

    @property
    def left(self) -> float:
        return self.limit.amount - self.before - self.spent - self.held

    @property
    def over(self) -> bool:
        """Whether more is gone than may be."""
        return self.before + self.spent + self.used > self.limit.amount + TINY

    def room(self, wanted: float) -> float | None:
        """What would be set aside for a session; None: it does not fit."""
        if self.limit.unit is Unit.SESSIONS:
            return 1.0 if self.left >= 1 else None
        return granted(wanted, self.left, alone=not self.open)

    def hopeless(self, wanted: float) -> bool:
        """Whether it would not fit either if all that is set aside now were given back."""
        return not self.open or granted(wanted, self.left + self.held, alone=True) is None

    def turn_over(self, at: float) -> None:
        """A new day or week: nothing is spent of it yet, but what is under way still counts."""
        period = max(0, bisect_right(self.limit.begins, at) - 1)
        if period > self.period:
            self.period = period
            self.before = self.spent = 0.0
            self.excess = self.held - self.reserved

    def before_is(self, used: float) -> None:
        """So much do other runs have by now; they set it aside without asking this one."""
        self.excess += max(0.0, used - self.before)
        self.before = max(used, self.before)

    def take(self, reserved: float) -> None:
        self.open += 1
        self.reserved += reserved
        self.held += reserved

    def see(self, reserved: float, seen: float, more: float) -> None:
        """A session that was seen to use `seen` has used `more` by now."""
        self.used += more - seen
        self._hold(max(reserved, more) - max(reserved, seen))

    def settle(self, reserved: float, seen: float, spent: float) -> None:
        """A session is over, and used `spent` in all."""
        self.open -= 1
        self.reserved -= reserved
        self.used -= seen
        self.held -= max(reserved, seen)
        self.excess += max(reserved, spent) - max(reserved, seen)
        self.spent += spent
        if not self.open:
            self.used = self.held = self.reserved = 0.0  # sums of dollars are not exact

    def _hold(self, more: float) -> None:
        self.held += more
        self.excess += more

    def text(self) -> str:
        """`budget.run_tokens` is 1,000 tokens: 700 tokens spent, 300 tokens set aside for sessions under way."""
        return self._text(f", {self._amount(self.held)} set aside for sessions under way" if self.held else "")

    def over_text(self) -> str:
        """The same with what those were seen to use."""
        return self._text(f", {self._amount(self.used)} used by sessions under way")

    def _text(self, under_way: str) -> str:
        gone = self._amount(self.before + self.spent)
        return f"`{self.limit.key}` is {self._amount(self.limit.amount)}: {gone} spent{under_way}"

    def _amount(self, amount: float) -> str:
        return amount_text(amount, self.limit.unit)

    def snapshot(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)
