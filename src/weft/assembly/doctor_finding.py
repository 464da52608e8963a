"""What `weft doctor` finds."""

from __future__ import annotations

from enum import Enum

import msgspec

PATIENCE = 60.0
"""Seconds a program may take to say its version: one of the agents takes ten on a busy machine."""


class Health(Enum):
    OK = "ok"
    NOTE = "note"
    """Not needed here, or not there."""
    WARNING = "warning"
    """Runs start; something will not work as well as it could."""
    PROBLEM = "problem"
    """Runs will fail."""


class Finding(msgspec.Struct, frozen=True):
    name: str
    health: Health
    said: str
    hint: str | None = None
