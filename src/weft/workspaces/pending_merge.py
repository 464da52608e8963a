"""A merge begun in a job's workspace and left uncommitted, conflicts and all, for an agent to finish (MERGE-4).

Weft's commit of what the session leaves becomes the merge commit. Files that conflicted are noted beside the worktree's
mark, since an agent that runs `git add` takes that knowledge out of git.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

import msgspec

from weft.workspaces.git import Git, GitFailed
from weft.workspaces.worktree import Worktree

NAME = "weft-merge.json"
_SWITCHED_OFF = ("rerere.enabled=false", "merge.autoStash=false", "merge.verifySignatures=false")
"""What the user's own configuration may switch on for a merge by hand."""


class Pending(msgspec.Struct, frozen=True):
    commit: str
    conflicts: tuple[str, ...]


async def begin_merge(git: Git, worktree: Worktree, commit: str) -> None:
    """The worktree is clean and at the job's own tip. Where that has the commit already, nothing is begun."""
    forget_merge(worktree)
    git = git.with_options(*_SWITCHED_OFF)
    at = worktree.environment
    command = ("merge", "--quiet", "--no-commit", "--no-ff", "--no-stat", "--allow-unrelated-histories", commit)
    done = await git.run(*command, cwd=worktree.path, environment=at, accept=(0, 1))
    found = await git.run("diff", "--name-only", "--diff-filter=U", "-z", cwd=worktree.path, environment=at)
    conflicts = tuple(os.fsdecode(name) for name in found.stdout.split(b"\0") if name)
    if done.status and not (worktree.admin / "MERGE_HEAD").exists():
        raise GitFailed(command, done.status, os.fsdecode(done.stderr + done.stdout))
    _write(worktree, Pending(commit, conflicts))


def _write(worktree: Worktree, pending: Pending) -> None:
    (worktree.admin / NAME).write_bytes(msgspec.json.encode(pending))


def forget_merge(worktree: Worktree) -> None:
    (worktree.admin / NAME).unlink(missing_ok=True)


def unresolved(worktree: Worktree) -> tuple[str, ...]:
    """Files that conflicted and still hold the markers of that very merge."""
    try:
        pending = msgspec.json.decode((worktree.admin / NAME).read_bytes(), type=Pending)
    except (OSError, msgspec.MsgspecError):
        return ()
    marker = re.compile(rb"^(<{7,} HEAD|>{7,} %s)" % pending.commit.encode(), re.MULTILINE)
    return tuple(name for name in pending.conflicts if marker.search(_content(worktree.path / name)))


def _content(file: Path) -> bytes:
    """Nothing where the agent removed it, or put something else in its place."""
    with contextlib.suppress(OSError):
        if not file.is_symlink():
            return file.read_bytes()
    return b""
