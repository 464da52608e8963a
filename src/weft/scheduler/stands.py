"""What is known of usage and of the machine, as the latest readings left it: plain data within the state."""

from __future__ import annotations

from enum import Enum

import msgspec

from weft.model.events import MachineRead
from weft.model.gauges import MeterReading


class Limit(msgspec.Struct, frozen=True):
    """How many jobs may be active; `cap` None: any number, but perhaps there is something to say."""

    cap: int | None = None
    why: str = ""


NO_LIMIT = Limit()


class Returning(msgspec.Struct, frozen=True):
    """How far a run has come back after a quota's reset; nothing yet while that is still used up."""

    allowed: int = 0
    next_at: float = 0.0
    """When one more job is let in."""


class UsageStand(msgspec.Struct, frozen=True):
    """How many steps down usage has brought the run, and what was read last."""

    step: int = 0
    governing: MeterReading | None = None
    """The highest meter, when it was last known."""
    unknown: str | None = None
    """Why the meters cannot be read."""


class Line(Enum):
    """What the machine can be short of."""

    MEMORY = "memory"
    DISK = "disk"
    LOAD = "load"


class MachineStand(msgspec.Struct, frozen=True):
    """Which lines the machine is over, and how many sessions its memory has room for."""

    over: tuple[Line, ...] = ()
    room: int | None = None
    """None: what a session needs is not known."""
    reading: MachineRead | None = None
