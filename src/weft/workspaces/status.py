"""What stands in a worktree against its HEAD, from one `git status`."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import msgspec

from weft.workspaces.git import Git, GitFailed
from weft.workspaces.worktree import Worktree


class Status(msgspec.Struct, frozen=True):
    head: str | None
    """The commit HEAD stands at; None where it has none yet."""
    branch: str | None
    """The branch HEAD is on; None when detached."""
    changed: bool
    """Whether a tracked file differs, staged or not, conflicts included."""
    untracked: bool
    nested: tuple[str, ...]
    """Untracked git repos in it: git cannot hold their content, so Weft leaves them where they are."""

    @property
    def dirty(self) -> bool:
        return self.changed or self.untracked


async def read_status(git: Git, worktree: Worktree) -> Status:
    """Mends an index that is missing or damaged: taken from HEAD, since the files hold all that it could tell."""
    index = worktree.admin / "index"
    try:
        if index.exists():
            return await _read(git, worktree)
    except GitFailed as failure:
        if "index file" not in failure.stderr:
            raise
    index.unlink(missing_ok=True)
    with contextlib.suppress(GitFailed):
        await git.run("read-tree", "HEAD", cwd=worktree.path, environment=worktree.environment)
    return await _read(git, worktree)


async def _read(git: Git, worktree: Worktree) -> Status:
    done = await git.run(
        "status",
        "--porcelain=v2",
        "--branch",
        "-z",
        "--no-renames",
        "--untracked-files=all",
        "--ignore-submodules=none",
        cwd=worktree.path,
        environment=worktree.environment,
    )
    return parse_status(done.stdout)


def parse_status(output: bytes) -> Status:
    head = branch = None
    changed = untracked = False
    nested: list[str] = []
    for record in output.split(b"\0"):
        if record.startswith(b"# branch.oid "):
            head = _unless(record, b"(initial)")
        elif record.startswith(b"# branch.head "):
            branch = _unless(record, b"(detached)")
        elif record.startswith(b"? ") and record.endswith(b"/"):
            nested.append(os.fsdecode(record[2:]))
        elif record.startswith(b"? "):
            untracked = True
        elif record.startswith((b"1 ", b"2 ", b"u ")):
            changed = True
    return Status(head, branch, changed, untracked, tuple(nested))


def _unless(record: bytes, nothing: bytes) -> str | None:
    value = record.split(b" ", 2)[2]
    return None if value == nothing else os.fsdecode(value)


def under_way(admin: Path) -> list[Path]:
    """What git keeps there while a merge, a rebase, a cherry-pick or a bisect is under way."""
    return [admin / name for name in STATE_FILES if (admin / name).exists()]


STATE_FILES = (
    "MERGE_HEAD",
    "MERGE_MODE",
    "MERGE_MSG",
    "MERGE_RR",
    "AUTO_MERGE",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "REBASE_HEAD",
    "BISECT_LOG",
    "BISECT_START",
    "BISECT_NAMES",
    "BISECT_TERMS",
    "SQUASH_MSG",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
)
