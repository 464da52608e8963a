"""What git's configuration says about a repo, as far as Weft must know."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from weft.workspaces.git import Git

_PROGRAMS = ("clean", "smudge", "process")
_REPOS_OWN = ("local", "worktree")


class Config(msgspec.Struct, frozen=True):
    identity: Mapping[str, str]
    """Variables to set where the user has told git no name: `Weft <weft@localhost>`."""
    excludes_file: str | None
    silenced: tuple[str, ...]
    """Options that turn off the programs which the repo's own configuration names."""
    has_includes: bool
    """Whether more files than `.git/config` have a say."""


async def read_config(git: Git, cwd: Path, environment: Mapping[str, str]) -> Config:
    done = await git.run("config", "--list", "--show-scope", "-z", cwd=cwd, environment=environment)
    entries = list(_entries(done.stdout))
    settings = {key: value for scope, key, value in entries if scope != "command"}
    return Config(
        identity=_identity(settings, git.environment),
        excludes_file=settings.get("core.excludesfile"),
        silenced=tuple(option for scope, key, _ in entries if scope in _REPOS_OWN for option in _silence(key)),
        has_includes=any(scope in _REPOS_OWN and key.startswith("include") for scope, key, _ in entries),
    )


def _entries(output: bytes) -> Iterator[tuple[str, str, str]]:
    parts = os.fsdecode(output).split("\0")
    for scope, entry in zip(parts[::2], parts[1::2], strict=False):
        key, _, value = entry.partition("\n")
        yield scope, key, value


def _identity(settings: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    if settings.get("user.name") and settings.get("user.email"):
        return {}
    wanted = {"NAME": "Weft", "EMAIL": "weft@localhost"}
    names = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in wanted.items()}
    return {name: value for name, value in names.items() if name not in environment}


def _silence(key: str) -> Iterator[str]:
    """A filter or merge driver that the repo's own file defines may have been put there by an agent: Weft runs none.
    Those in the user's own files (git-lfs) are the user's word and stay.
    """
    section, _, rest = key.partition(".")
    name, _, variable = rest.rpartition(".")
    if section == "filter" and variable in _PROGRAMS:
        yield f"filter.{name}.{variable}="
        yield f"filter.{name}.required=false"
    elif section == "merge" and variable == "driver":
        # Empty would count as a merge that went well.
        yield f"merge.{name}.driver=false"
