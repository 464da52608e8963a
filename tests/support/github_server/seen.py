"""What was asked of the server."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Seen:
    """A request that came, and how it was answered; 0 where it was cut off."""

    method: str
    path: str
    query: str
    status: int
