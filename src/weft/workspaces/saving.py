"""Nothing is lost: what would be reset or removed becomes a commit on a ref of its own first."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from weft.workspaces.git import Git, GitFailed
from weft.workspaces.lookup import is_ancestor, is_sha, objects
from weft.workspaces.status import Status
from weft.workspaces.worktree import Worktree

PREFIX = "refs/weft/saved"

_OTHER_HEADS = (
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "REBASE_HEAD",
    "rebase-merge/orig-head",
    "rebase-apply/orig-head",
)


class Saver(msgspec.Struct, frozen=True):
    """Saves for one job. Saving the same thing again answers the ref it is on."""

    git: Git
    root: Path
    folder: str
    """The job's part of the ref's name."""

    async def save_commit(self, commit: str) -> str:
        for ref, saved, _, _ in await self._existing():
            if saved == commit:
                return ref
        return await self._point(commit)

    async def save_work(self, worktree: Worktree, status: Status, tip: str | None) -> str | None:
        """All that is not committed in the worktree: files, what was staged, and the other side of a merge, rebase or
        cherry-pick under way. The worktree and its index stay as they are. None if that is nothing.
        """
        index = worktree.admin / "weft-save-index"
        try:
            staged, tree = await self._trees(worktree, status, index)
        finally:
            index.unlink(missing_ok=True)
            index.with_name(f"{index.name}.lock").unlink(missing_ok=True)
        return await self._save_tree(worktree, status, tip, staged, tree)

    async def _save_tree(
        self, worktree: Worktree, status: Status, tip: str | None, staged: str | None, tree: str
    ) -> str | None:
        first = status.head or tip
        committed = (await objects(self.git, self.root, [f"{first}^{{tree}}"]))[0] if first else None
        others = [head for head in _other_heads(worktree.admin) if head not in (first, tip)]
        parents = [commit for commit in dict.fromkeys((first, tip)) if commit] + others
        if staged not in (None, tree, committed):
            parents.append(await self._commit_staged(str(staged), parents[:1]))
        if tree == committed and len(parents) == 1:
            return None
        for ref, _, saved_tree, saved_parents in await self._existing():
            if (saved_tree, saved_parents) == (tree, tuple(parents)):
                return ref
        message = f"Work in progress of {self.folder}"
        return await self._point(await commit_tree(self.git, self.root, tree, parents, message))

    async def _trees(self, worktree: Worktree, status: Status, index: Path) -> tuple[str | None, str]:
        """The trees of what is staged (None in a conflict) and of what is in the folder, by a copy of the index."""
        environment = {**worktree.environment, "GIT_INDEX_FILE": str(index)}
        # With its time: by that git tells which files may have changed since without looking different.
        shutil.copy2(worktree.admin / "index", index)
        staged = None
        with contextlib.suppress(GitFailed):
            staged = await self.git.line("write-tree", cwd=worktree.path, environment=environment)
        await add_all(self.git, worktree, status.nested, index)
        return staged, await self.git.line("write-tree", cwd=worktree.path, environment=environment)

    async def _commit_staged(self, tree: str, parents: Sequence[str]) -> str:
        """Dated as its parent, so that saving it again gives the same commit."""
        seconds = await self.git.line("show", "-s", "--format=%ct", *parents, cwd=self.root) if parents else "0"
        date = f"@{seconds} +0000"
        dated = self.git.with_environment({"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date})
        return await commit_tree(dated, self.root, tree, parents, "What was staged")

    async def _point(self, commit: str) -> str:
        ref = f"{PREFIX}/{self.folder}/{datetime.now(UTC):%Y%m%dT%H%M%S}-{commit[:10]}"
        await self.git.run("update-ref", "-m", "weft: saved", ref, commit, cwd=self.root)
        return ref

    async def _existing(self) -> list[tuple[str, str, str, tuple[str, ...]]]:
        """(ref, commit, tree, parents) of what was saved for the job before."""
        shape = "--format=%(refname)%00%(objectname)%00%(tree)%00%(parent)"
        text = await self.git.line("for-each-ref", shape, f"{PREFIX}/{self.folder}/", cwd=self.root)
        found = [line.split("\0") for line in text.splitlines()]
        return [(ref, commit, tree, tuple(parents.split())) for ref, commit, tree, parents in found]


async def commit_tree(git: Git, root: Path, tree: str, parents: Sequence[str], message: str) -> str:
    given = [part for parent in parents for part in ("-p", parent)]
    return await git.line("commit-tree", tree, *given, "-m", message, cwd=root)


async def save_beyond(saver: Saver, tip: str, kept: str) -> str | None:
    """Save the commits of `tip` that `kept` does not have."""
    if await is_ancestor(saver.git, saver.root, tip, kept):
        return None
    return await saver.save_commit(tip)


async def add_all(git: Git, worktree: Worktree, nested: Sequence[str], index: Path | None = None) -> None:
    """Stage everything but other git repos in the folder: git would note their commit and drop their content."""
    environment = {**worktree.environment, **({"GIT_INDEX_FILE": str(index)} if index else {})}
    paths = [":(top)", *(f":(top,exclude,literal){name.rstrip('/')}" for name in nested)]
    await git.run(
        "add",
        "--all",
        "--sparse",
        "--pathspec-from-file=-",
        "--pathspec-file-nul",
        cwd=worktree.path,
        environment=environment,
        stdin=b"\0".join(os.fsencode(path) for path in paths),
    )


def _other_heads(admin: Path) -> Iterator[str]:
    for name in _OTHER_HEADS:
        with contextlib.suppress(OSError):
            yield from filter(is_sha, (admin / name).read_text().split())
