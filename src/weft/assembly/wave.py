"""What a wave is made of, before its repos are looked into: a name, repos, and which of their issues."""

from __future__ import annotations

from pathlib import Path

import msgspec

from weft.errors import UsageError
from weft.settings.environment import Environment
from weft.settings.load import Loaded
from weft.settings.sections import RepoSettings

NO_REPOS_HINT = "list them in weft.toml, each as `[[repos]]` with its `path`"


class Wave(msgspec.Struct, frozen=True):
    name: str
    repos: tuple[RepoSettings, ...]
    folder: Path
    """What relative paths of repos are meant from."""


def milestone_wave(name: str, loaded: Loaded) -> Wave:
    """The issues of a milestone in every repo that settings list."""
    if not loaded.settings.repos:
        raise UsageError("No repos are set for a wave", hint=NO_REPOS_HINT)
    return Wave(name, loaded.settings.repos, loaded.folder)


def folder_of(repo: RepoSettings, wave: Wave, environment: Environment) -> Path:
    """`~` is the user's home."""
    if repo.path == "~" or repo.path.startswith("~/"):
        return environment.home / repo.path[2:]
    return wave.folder / repo.path
