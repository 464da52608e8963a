"""Time zones by the names that settings give them."""

from __future__ import annotations

from datetime import UTC, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from weft.settings.environment import Environment

LOCAL = "local"
_LOCAL_FILE = Path("/etc/localtime")


def zone_of(name: str, environment: Environment) -> tzinfo:
    """`local` is the machine's zone with its summer time, not today's offset."""
    if name != LOCAL:
        return ZoneInfo(name)
    said = (environment.get("TZ") or "").removeprefix(":")
    try:
        if said:
            return ZoneInfo(said)
        with _LOCAL_FILE.open("rb") as file:
            return ZoneInfo.from_file(file, key=LOCAL)
    except (OSError, ValueError, KeyError):
        return UTC
