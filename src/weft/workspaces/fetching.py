"""Bringing what a repo knows of its remote up to date: remote-tracking refs alone, never a branch or a checkout."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from pathlib import Path

from weft.errors import GitError
from weft.workspaces.git import Git
from weft.workspaces.push import PASSED_ON

TIMEOUT = 60.0
"""Seconds. Nobody is there to answer a question, and what is here already is good enough to work from."""
_FIXED = {"GIT_ASKPASS": "", "SSH_ASKPASS": "", "GIT_ALLOW_PROTOCOL": "https:http:ssh:file:git"}
_QUIET_SSH = "ssh -oBatchMode=yes -oConnectTimeout=20"


async def fetch(git: Git, repo: Path, remote: str, environment: Mapping[str, str]) -> None:
    """GitError where that cannot be done now."""
    given = {name: environment[name] for name in PASSED_ON if name in environment}
    connected = git.with_environment({"GIT_SSH_COMMAND": _QUIET_SSH, **given, **_FIXED})
    try:
        async with asyncio.timeout(TIMEOUT):
            await connected.run("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", remote, cwd=repo)
            await _note_default_branch(connected, repo, remote)
    except TimeoutError:
        raise GitError(f"`git fetch {remote}` took longer than {TIMEOUT:g} s") from None


async def _note_default_branch(git: Git, repo: Path, remote: str) -> None:
    """Fetching alone does not tell which one it is now: of a repo that was not cloned it is never noted, and of one
    whose default branch was renamed it stays as it was.
    """
    with contextlib.suppress(GitError):  # a remote without one; what is known of it stays
        await git.run("remote", "set-head", remote, "--auto", cwd=repo)
