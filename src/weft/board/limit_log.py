"""Readings of usage and of the machine, and the limits that follow, in words for the log."""

from __future__ import annotations

from weft.model import events as e
from weft.model.sizes import size_text


def limit_text(event: e.UsageRead | e.MachineRead | e.LimitSet) -> str:
    match event:
        case e.UsageRead(meters=meters, unknown=unknown):
            if unknown is not None:
                return f"usage unknown: {unknown}"
            return "usage: " + (", ".join(f"{meter.name} {meter.percent:g} %" for meter in meters) or "no meter")
        case e.MachineRead():
            return "machine: " + (", ".join(_figures(event)) or "nothing could be read")
        case e.LimitSet(source=source, cap=cap, why=why):
            how = f"no limit by {source.value}" if cap is None else f"limited to {cap} by {source.value}"
            return how + (f": {why}" if why else "")


def _figures(event: e.MachineRead) -> list[str]:
    figures = [] if event.free_memory is None else [f"{size_text(event.free_memory)} memory free"]
    figures += [] if event.free_disk is None else [f"{size_text(event.free_disk)} disk free"]
    figures += [] if event.load is None else [f"load {event.load:.1f} per core"]
    return figures + [f"a session of {need.agent} used up to {size_text(need.memory)}" for need in event.needs]
