"""Gates as data."""

from __future__ import annotations

import msgspec


class Gate(msgspec.Struct, frozen=True):
    """A command that Weft runs in a workspace to see whether the work is right."""

    name: str
    command: str
    timeout: float = 1200.0
