"""Readings of usage and of the machine, and the limits that follow from them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from weft.model.events import MachineRead, QuotaSeen, UsageRead
from weft.scheduler.machine import apply_machine, conclude_machine, machine_matters
from weft.scheduler.quota import quota_matters, quota_seen
from weft.scheduler.state import State
from weft.scheduler.turn import Turn
from weft.scheduler.usage import apply_usage, conclude_usage, usage_matters

Reading: TypeAlias = UsageRead | MachineRead | QuotaSeen


def apply_readings(turn: Turn, readings: Iterable[Reading]) -> None:
    """Take them in; the caller admits."""
    for reading in readings:
        match reading:
            case UsageRead():
                apply_usage(turn, reading)
            case MachineRead():
                apply_machine(turn, reading)
            case QuotaSeen():
                quota_seen(turn, reading)


def conclude_limits(turn: Turn) -> None:
    """The user's cap has changed: the limits follow it."""
    conclude_usage(turn)
    conclude_machine(turn)


def matters(state: State, reading: Reading) -> bool:
    """Whether a reading is worth an entry in the journal."""
    match reading:
        case UsageRead():
            return usage_matters(state, reading)
        case MachineRead():
            return machine_matters(state, reading)
        case QuotaSeen():
            return quota_matters(state, reading)
