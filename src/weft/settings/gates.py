"""The gates of a repo: what the settings say, else what its files say."""

from __future__ import annotations

from pathlib import Path

from weft.model.plan import Gate
from weft.settings.found_gates import GATE_NAMES, found_gates
from weft.settings.sections import Settings


def gates_of(settings: Settings, repo: Path) -> tuple[Gate, ...]:
    """In their order; an empty command in the settings means that this gate is skipped."""
    found = found_gates(repo)
    said: dict[str, str | None] = {name: getattr(settings.gates, name) for name in GATE_NAMES}
    commands = {name: found[name].command if said[name] is None and name in found else said[name] for name in said}
    return tuple(Gate(name, command, settings.gates.timeout) for name, command in commands.items() if command)
