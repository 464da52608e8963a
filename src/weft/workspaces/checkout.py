"""Make and remove worktrees, many at once.

`git worktree add` looks at all worktrees of the repo and dies on one that another `add` has half made, so that short
step is taken one at a time, also among several Weft processes. What takes long, writing the files, goes on in parallel.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import stat
import time
from collections.abc import Sequence
from pathlib import Path

from weft.errors import WorkspaceError
from weft.workspaces.git import Git, GitFailed
from weft.workspaces.site import Site
from weft.workspaces.status import under_way
from weft.workspaces.worktree import Worktree, drop_broken, linked

TRIES = 8
PAUSE = 0.005
_BARELY = ("--quiet", "--no-checkout")


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


async def add_worktree(git: Git, site: Site, path: Path, branch: str, commit: str, *, new: bool) -> Worktree:
    """The worktree and its branch, without files. `new`: the branch must not exist; else it is moved to `commit`."""
    again = ("--no-track", "-B", branch)
    return await _added(git, site, path, commit, ("--no-track", "-b", branch) if new else again, again)


async def add_detached(git: Git, site: Site, path: Path, commit: str) -> Worktree:
    """A worktree on no branch, without files."""
    return await _added(git, site, path, commit, ("--detach",), ("--detach",))


async def _added(git: Git, site: Site, path: Path, commit: str, how: Sequence[str], again: Sequence[str]) -> Worktree:
    async with site.turns.taken():
        await _add(git, site, path, commit, how, again)
    worktree = linked(path, site.common_dir)
    if worktree is None:
        raise WorkspaceError(f"git made no worktree at `{path}`")
    return worktree


async def _add(git: Git, site: Site, path: Path, commit: str, how: Sequence[str], again: Sequence[str]) -> None:
    for attempt in range(1, TRIES + 1):
        try:
            await git.run("worktree", "add", *_BARELY, *how, str(path), commit, cwd=site.root)
            return
        except GitFailed as failure:
            if attempt == TRIES or not _may_pass(failure):
                raise
            # Someone else's `git worktree add` was seen half done. Ours may have got as far as the branch.
            drop_broken(path, site.common_dir, making=True)
            shutil.rmtree(path, ignore_errors=True)
            how = again
            await asyncio.sleep(PAUSE * 2**attempt)


def _may_pass(failure: GitFailed) -> bool:
    return "commondir" in failure.stderr or ("worktrees/" in failure.stderr and "already" not in failure.stderr)


async def write_files(git: Git, worktree: Worktree) -> None:
    """Write all files of HEAD. One process each: with many worktrees at once, git's own workers only get in the way."""
    await git.run("reset", "--quiet", "--hard", cwd=worktree.path, environment=worktree.environment)


async def bring_to(git: Git, worktree: Worktree, branch: str, commit: str) -> None:
    """The branch, HEAD, the index and the files at `commit`; what is untracked goes, what is ignored stays."""
    _forget_under_way(worktree)
    at = worktree.environment
    await git.run(
        "checkout", "--quiet", "--force", "--no-track", "-B", branch, commit, cwd=worktree.path, environment=at
    )
    await git.run("clean", "-d", "--force", "--quiet", cwd=worktree.path, environment=at)


async def bring_back(git: Git, worktree: Worktree, commit: str) -> None:
    """A worktree on no branch at `commit` again, whatever was done in it; what is ignored stays."""
    worktree.restore_link()
    worktree.clear_locks()
    _forget_under_way(worktree)
    at = worktree.environment
    await git.run("checkout", "--quiet", "--force", "--detach", commit, cwd=worktree.path, environment=at)
    await git.run("clean", "-d", "--force", "--force", "--quiet", cwd=worktree.path, environment=at)


def _forget_under_way(worktree: Worktree) -> None:
    for left in under_way(worktree.admin):
        shutil.rmtree(left) if left.is_dir() else left.unlink()


async def remove_worktree(worktree: Worktree, site: Site) -> None:
    """Remove both halves, without git: a rename is done or not done. The folder goes first: should a kill come between,
    git's half without a folder is known for what it is, and dropped by whoever looks next.
    """
    async with site.turns.taken():
        for source, trash in ((worktree.path, site.trash), (worktree.admin, site.admin_trash)):
            trash.mkdir(parents=True, exist_ok=True)
            source.rename(trash / f"{source.name}-{time.time_ns()}")
        with contextlib.suppress(OSError):
            worktree.admin.parent.rmdir()
    await empty_trash(site)


async def empty_trash(site: Site) -> None:
    """Delete what was put there, also by a run that died before it came to it."""
    for trash in (site.admin_trash, site.trash):
        if trash.exists():
            await asyncio.to_thread(_delete_all, trash)
            async with site.turns.taken():
                with contextlib.suppress(OSError):
                    trash.rmdir()


def _delete_all(trash: Path) -> None:
    """Others may be deleting there at the same time."""
    with contextlib.suppress(FileNotFoundError):
        for entry in list(trash.iterdir()):
            shutil.rmtree(entry, ignore_errors=True)
            if entry.exists():
                _make_writable(entry)
                shutil.rmtree(entry, ignore_errors=True)


def _make_writable(folder: Path) -> None:
    """Caches of some tools, Go's modules for one, are read-only."""
    for parent, _, _ in os.walk(folder):
        with contextlib.suppress(FileNotFoundError):
            Path(parent).chmod(stat.S_IRWXU)
