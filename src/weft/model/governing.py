"""What limits a run besides its cap: by which rules, and where to look."""

from __future__ import annotations

import msgspec


class UsagePlan(msgspec.Struct, frozen=True):
    """Where the usage meters are read, and at which percentages fewer jobs may be active."""

    command: str = ""
    """Prints the meters; empty: they are in a file."""
    file: str = ""
    folder: str = ""
    """Where the command runs."""
    env: tuple[str, ...] = ()
    """Variables that the command gets besides the allow-list."""
    every: float = 60.0
    timeout: float = 30.0
    steps: tuple[float, ...] = (65.0, 75.0, 80.0)
    """From the first on two thirds of the cap, from the second a third, from the last nothing new starts."""
    margin: float = 5.0
    """A step is left when usage is so many points below it."""


class MachinePlan(msgspec.Struct, frozen=True):
    """What must be free on the machine for anything new to start; 0: not looked at."""

    min_free_memory: int = 0
    """Bytes."""
    min_free_disk: int = 0
    max_load: float = 0.0
    """For each core."""
    every: float = 2.0
