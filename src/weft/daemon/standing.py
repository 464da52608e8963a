"""How the daemon stands, written down for `weft daemon status`."""

from __future__ import annotations

from pathlib import Path

import msgspec

from weft.settings.environment import Environment
from weft.stores.folders import make_folder


class Standing(msgspec.Struct, frozen=True):
    """Kept over restarts: `every` counts from the last start."""

    next_at: float | None = None
    """When the next run starts; None while one is under way, or where there is no such moment."""
    last_start: float | None = None
    last_end: float | None = None
    last_outcome: str | None = None
    """One line on what came of it."""
    running: bool = False
    settings_problem: str | None = None
    """Why an edit of the settings is not in use."""


def read_standing(environment: Environment) -> Standing:
    try:
        return msgspec.json.decode(_path(environment).read_bytes(), type=Standing)
    except (OSError, msgspec.DecodeError):
        return Standing()


def write_standing(environment: Environment, standing: Standing) -> None:
    """Aside first, then into its place: a reader finds one or the other, whole."""
    path = _path(environment)
    make_folder(path.parent)
    aside = path.with_suffix(".new")
    aside.write_bytes(msgspec.json.encode(standing))
    aside.replace(path)


def _path(environment: Environment) -> Path:
    return environment.state_folder / "daemon.json"
