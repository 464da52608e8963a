"""A merge begun in a job's workspace and left uncommitted, conflicts and all, for an agent to finish (MERGE-4).

Weft's commit of what the session leaves becomes the merge commit. Files that conflicted are noted beside the worktree's
mark, since an agent that runs `git add` takes that knowledge out of git.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from collections import Counter
from hashlib import sha256
from pathlib import Path

import msgspec

from weft.workspaces.git import Git, GitFailed, readable
from weft.workspaces.worktree import Worktree

NAME = "weft-merge.json"
_SWITCHED_OFF = ("rerere.enabled=false", "merge.autoStash=false", "merge.verifySignatures=false")
"""What the user's own configuration may switch on for a merge by hand."""


class Conflict(msgspec.Struct, frozen=True):
    """A file that both sides changed, as git left it."""

    name: bytes
    content: bytes | None
    """A digest; None where git itself says in the file what is to be resolved, or nobody's version stands in it."""


class Pending(msgspec.Struct, frozen=True):
    commit: str
    conflicts: tuple[Conflict, ...]


async def begin_merge(git: Git, worktree: Worktree, commit: str) -> None:
    """The worktree is clean and at the job's own tip. Where that has the commit already, nothing is begun."""
    forget_merge(worktree)
    git = git.with_options(*_SWITCHED_OFF)
    at = worktree.environment
    command = ("merge", "--quiet", "--no-commit", "--no-ff", "--no-stat", "--allow-unrelated-histories", commit)
    done = await git.run(*command, cwd=worktree.path, environment=at, accept=(0, 1))
    unmerged = await _unmerged(git, worktree)
    if done.status and not (worktree.admin / "MERGE_HEAD").exists():
        raise GitFailed(command, done.status, os.fsdecode(done.stderr + done.stdout))
    await asyncio.to_thread(_note, worktree, commit, unmerged)


async def _unmerged(git: Git, worktree: Worktree) -> dict[bytes, int]:
    """The files that git takes for unresolved, each with how many versions of it there are (base, ours, theirs)."""
    listed = await git.run("ls-files", "--unmerged", "-z", cwd=worktree.path, environment=worktree.environment)
    return Counter(entry.partition(b"\t")[2] for entry in listed.stdout.split(b"\0") if entry)


def _note(worktree: Worktree, commit: str, unmerged: dict[bytes, int]) -> None:
    marker = _marker(commit)
    conflicts = tuple(_conflict(worktree, marker, name, versions) for name, versions in unmerged.items())
    (worktree.admin / NAME).write_bytes(msgspec.json.encode(Pending(commit, conflicts)))


def _conflict(worktree: Worktree, marker: re.Pattern[bytes], name: bytes, versions: int) -> Conflict:
    """Of a binary file, a link, or one that a side removed, git leaves one side's version as if nothing were wrong."""
    file = _place(worktree, name)
    one_sided = versions > 1 and not marker.search(_content(file))
    return Conflict(name, _digest(file) if one_sided else None)


def forget_merge(worktree: Worktree) -> None:
    (worktree.admin / NAME).unlink(missing_ok=True)


class Left(msgspec.Struct, frozen=True):
    """What a session left of a merge's conflicts: names for people to read."""

    marked: tuple[str, ...] = ()
    """Files that still hold the markers of that very merge."""
    untouched: tuple[str, ...] = ()
    """Files without markers that are as git left them, and that nobody said to be right so with `git add`."""


async def unresolved(git: Git, worktree: Worktree) -> Left:
    pending = await asyncio.to_thread(_read, worktree)
    if pending is None or not pending.conflicts:
        return Left()
    marked, untouched = await asyncio.to_thread(_look, worktree, pending)
    if untouched:
        unmerged = await _unmerged(git, worktree)
        untouched = [name for name in untouched if name in unmerged]
    return Left(tuple(map(readable, marked)), tuple(map(readable, untouched)))


def _read(worktree: Worktree) -> Pending | None:
    try:
        return msgspec.json.decode((worktree.admin / NAME).read_bytes(), type=Pending)
    except (OSError, msgspec.MsgspecError):
        return None


def _look(worktree: Worktree, pending: Pending) -> tuple[list[bytes], list[bytes]]:
    marker = _marker(pending.commit)
    conflicts = [(conflict, _place(worktree, conflict.name)) for conflict in pending.conflicts]
    marked = [conflict.name for conflict, file in conflicts if marker.search(_content(file))]
    return marked, [conflict.name for conflict, file in conflicts if conflict.content == _digest(file)]


def _marker(commit: str) -> re.Pattern[bytes]:
    return re.compile(rb"^(<{7,} HEAD|>{7,} %s)" % commit.encode(), re.MULTILINE)


def _place(worktree: Worktree, name: bytes) -> Path:
    return worktree.path / os.fsdecode(name)


def _content(file: Path) -> bytes:
    """Nothing where the agent removed it, or put something else in its place."""
    with contextlib.suppress(OSError):
        if not file.is_symlink():
            return file.read_bytes()
    return b""


def _digest(file: Path) -> bytes:
    with contextlib.suppress(OSError):
        if file.is_symlink():
            return sha256(b"link " + os.fsencode(file.readlink())).digest()
    return sha256(b"file " + _content(file) if file.is_file() else b"").digest()
