"""A worktree of one commit, on no branch, for the gates of the merge queue alone."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from pathlib import Path

import msgspec

from weft.model.ids import AttemptId, slug
from weft.workspaces.checkout import add_detached, bring_back, remove_worktree, write_files
from weft.workspaces.furnish import RunSetup, furnish
from weft.workspaces.git import Git
from weft.workspaces.mark import NAME, Mark, Purpose, Stage, write_mark
from weft.workspaces.reasons import explained
from weft.workspaces.site import MAKING, Site, folder_name
from weft.workspaces.worktree import Worktree, drop_broken, linked


class MergeWorktree:
    """Made by `make_merge_worktree`; whatever is in it may go at any time."""

    def __init__(self, git: Git, site: Site, worktree: Worktree, commit: str) -> None:
        self._git = git
        self._site = site
        self._worktree = worktree
        self._commit = commit

    @property
    def path(self) -> Path:
        return self._worktree.path

    async def reset(self) -> None:
        with explained("bringing back the merged tree", self.path):
            await bring_back(self._git, self._worktree, self._commit)

    async def remove(self) -> None:
        """A gate may have removed the folder itself."""
        with explained("removing the merged tree", self.path):
            await take_away(self._site, self.path)


def tree_name(attempt: AttemptId) -> str:
    """Its folder: the run is in it, so that two runs never meet."""
    return f"{folder_name(attempt.job)}+{slug(attempt.phase)}-{attempt.number}+{slug(attempt.run)}"


async def make_merge_worktree(
    git: Git, site: Site, attempt: AttemptId, commit: str, writers: asyncio.Semaphore, run_setup: RunSetup
) -> MergeWorktree:
    """There whole or not at all; only a kill leaves a part of it, with a mark that tells whose it was."""
    path = site.folder / tree_name(attempt)
    await take_away(site, path)  # what a crash left
    try:
        worktree = await _checked_out(git, site, path, attempt, commit, writers)
        await furnish(site.setup, site.root, path, f"{path.name}.setup", run_setup)
    except BaseException:
        await take_away(site, path)
        raise
    return MergeWorktree(git, site, worktree, commit)


async def _checked_out(
    git: Git, site: Site, path: Path, attempt: AttemptId, commit: str, writers: asyncio.Semaphore
) -> Worktree:
    mark = Mark(run=attempt.run, job=str(attempt.job), branch="", base=commit, purpose=Purpose.GATES)
    intent = _intent(path)
    write_mark(intent, mark)
    worktree = await add_detached(git, site, path, commit)
    write_mark(worktree.admin / NAME, msgspec.structs.replace(mark, stage=Stage.CHECKED_OUT))
    intent.unlink()
    async with writers:
        await write_files(git, worktree)
    return worktree


def _intent(path: Path) -> Path:
    return path.with_name(f"{path.name}{MAKING}")


async def take_away(site: Site, path: Path) -> None:
    """All of it that there is; the intent last, so that a kill in between leaves word."""
    drop_broken(path, site.common_dir, making=_intent(path).exists())
    worktree = linked(path, site.common_dir)
    if worktree is not None:
        await remove_worktree(worktree, site)
    elif path.exists():
        await asyncio.to_thread(shutil.rmtree, path, ignore_errors=True)
    with contextlib.suppress(FileNotFoundError):
        _intent(path).unlink()
