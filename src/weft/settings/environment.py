"""The environment Weft was started in: the one place that reads it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

_TRUE = frozenset(("1", "true", "yes", "on"))


class Environment(NamedTuple):
    """A snapshot of the environment; what happens to the process's own later does not show."""

    variables: Mapping[str, str]
    folder: Path
    """The folder Weft was started in; relative paths in variables are meant from there."""

    @classmethod
    def read(cls) -> Environment:
        return cls(MappingProxyType(dict(os.environ)), _current_folder())

    def get(self, name: str) -> str | None:
        """The variable's value; an empty one counts as not set."""
        return self.variables.get(name) or None

    @property
    def home(self) -> Path:
        home = self.get("HOME")
        return Path(home) if home else Path.home()

    @property
    def state_folder(self) -> Path:
        """Where the journal and the transcripts are: `WEFT_HOME`, else the user's state folder."""
        moved = self.get("WEFT_HOME")
        if moved:
            return self.folder / _expanded(moved, self.home)
        return self._xdg("XDG_STATE_HOME", ".local/state") / "weft"

    @property
    def config_folder(self) -> Path:
        """Where the user's programs have their settings."""
        return self._xdg("XDG_CONFIG_HOME", ".config")

    @property
    def config_file(self) -> Path:
        """The user's own settings."""
        return self.config_folder / "weft" / "config.toml"

    @property
    def search_path(self) -> str:
        return self.variables.get("PATH", os.defpath)

    @property
    def orchestrated(self) -> bool:
        """LOCK-10: the caller sees to it that no two work on one issue."""
        return (self.get("WEFT_ORCHESTRATOR") or "").lower() in _TRUE

    @property
    def wants_colour(self) -> bool:
        """Whether colour may be used where the output is a terminal."""
        return not self.variables.get("NO_COLOR") and self.get("TERM") != "dumb"

    def _xdg(self, name: str, fallback: str) -> Path:
        """A base folder; the standard says that a relative one is to be ignored."""
        given = self.get(name)
        return Path(given) if given and Path(given).is_absolute() else self.home / fallback


def _expanded(text: str, home: Path) -> Path:
    """`~/x` in the user's own home: a shell does not expand it within `NAME=~/x` in every place."""
    return home / text[2:] if text.startswith("~/") else Path(text)


def _current_folder() -> Path:
    """The current folder; where it was removed under our feet, its name in `PWD` is all there is."""
    try:
        return Path.cwd()
    except OSError:
        return Path(os.environ.get("PWD", "/"))
