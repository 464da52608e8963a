"""Which issues are wanted."""

from __future__ import annotations

import msgspec


class Selection(msgspec.Struct, frozen=True):
    """By number, or all open ones with these labels and of this milestone; both may be said."""

    numbers: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    """All of them must be on an issue."""
    milestone: str | None = None
    """By its name."""
    limit: int | None = None
    """How many of those found by label or milestone are taken, the lowest numbers first."""

    must_exist: bool = True
    """Whether a milestone that the repo lacks is a mistake; else the repo has no issue in it."""

    @property
    def searches(self) -> bool:
        return bool(self.labels) or self.milestone is not None
