"""What is read of the world while a run is under way: usage meters, and the machine."""

from __future__ import annotations

from enum import Enum

import msgspec


class LimitSource(Enum):
    """Who limits how many jobs may be active, besides the user."""

    GOVERNOR = "governor"
    """Set from outside, by `governor_cap_set`."""
    USAGE = "usage"
    """How much of an allowance is used up."""
    MACHINE = "machine"
    """Free memory, free disk, load."""
    QUOTA = "quota"
    """Every agent's quota is used up."""


class MeterReading(msgspec.Struct, frozen=True):
    """How much of one allowance is used; over 100 where more is used than there was."""

    name: str
    percent: float


class UsageReading(msgspec.Struct, frozen=True):
    """All meters, or why they could not be read."""

    meters: tuple[MeterReading, ...] = ()
    unknown: str | None = None


class SessionNeed(msgspec.Struct, frozen=True):
    """The most memory that a session of an agent was seen to use, in bytes."""

    agent: str
    memory: int


class MachineReading(msgspec.Struct, frozen=True):
    """Memory and disk in bytes; None where it could not be read."""

    free_memory: int | None = None
    free_disk: int | None = None
    load: float | None = None
    """Processes that want to run, on average of the last minute, for each core."""
    in_use: int = 0
    """Memory that the run's own sessions have now."""
    needs: tuple[SessionNeed, ...] = ()
