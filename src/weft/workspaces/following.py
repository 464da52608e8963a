"""A clean checkout follows its branch, and nothing that is in it and not committed is lost."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from weft.errors import WorkspaceError
from weft.workspaces.git import Git, GitFailed
from weft.workspaces.worktree import Worktree


async def check_untracked(git: Git, checkout: Worktree, branch: str, old: str, new: str) -> None:
    """Refuse where a file that git does not know would be written over; git itself spares only some of them."""
    added = await _names(git, checkout, "diff", "--name-only", "--no-renames", "--diff-filter=A", "-z", old, new)
    if not added:
        return
    others = await _names(git, checkout, "ls-files", "--others", "--directory", "--no-empty-directory", "-z")
    for name in _in_the_way(checkout.path, added, others):
        raise WorkspaceError(
            f"branch `{branch}` is checked out in `{checkout.path}`, and the untracked `{name}` there is in the way",
            hint="move it elsewhere",
        )


async def _names(git: Git, checkout: Worktree, *args: str) -> list[str]:
    done = await git.run(*args, cwd=checkout.path, environment=checkout.environment)
    return [os.fsdecode(name) for name in done.stdout.split(b"\0") if name]


def _in_the_way(folder: Path, added: Iterable[str], others: Iterable[str]) -> Iterator[str]:
    """`others` are files and, with a slash at their end, folders that hold no tracked file."""
    wanted = {parent for name in added for parent in _with_parents(name)}
    ends = set(added)
    for other in others:
        if any(parent in ends for parent in _with_parents(other.rstrip("/"))):
            yield other.rstrip("/")
        elif not other.endswith("/") and other in wanted:
            yield other
        elif other.rstrip("/") in wanted:
            yield from (name for name in added if name.startswith(other) and _taken(folder, name))


def _with_parents(name: str) -> list[str]:
    path = PurePosixPath(name)
    return [str(path), *(str(parent) for parent in path.parents if str(parent) != ".")]


def _taken(folder: Path, name: str) -> bool:
    """Whether something is at the path, or something that is no folder above it."""
    return any(os.path.lexists(folder / part) and not _is_folder(folder / part) for part in _with_parents(name)) or (
        os.path.lexists(folder / name)
    )


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


async def follow(git: Git, checkout: Worktree, old: str, new: str) -> str | None:
    """Index and files from `old` to `new`. Git refuses where a file was changed meanwhile; answers why it did."""
    try:
        await _refresh(git, checkout)
        await git.run("read-tree", "-m", "-u", old, new, cwd=checkout.path, environment=checkout.environment)
    except GitFailed as failure:
        return _did_not_follow(checkout, str(failure))
    return None


async def take_up_following(git: Git, checkout: Worktree, old: str, new: str) -> str | None:
    """The branch has moved already: a checkout that has all of `old` and nothing else follows now."""
    await _refresh(git, checkout)
    if await _same(git, checkout, "diff-index", "--cached", "--quiet", new):
        return None
    for question in (("diff-index", "--cached", "--quiet", old), ("diff-files", "--quiet")):
        if not await _same(git, checkout, *question):
            return _did_not_follow(checkout, "it has changes that are not committed")
    return await follow(git, checkout, old, new)


async def _refresh(git: Git, checkout: Worktree) -> None:
    """Have git look at the files: what was only touched is not changed."""
    command = ("update-index", "-q", "--refresh")
    await git.run(*command, cwd=checkout.path, environment=checkout.environment, accept=(0, 1))


async def _same(git: Git, checkout: Worktree, *question: str) -> bool:
    done = await git.run(*question, cwd=checkout.path, environment=checkout.environment, accept=(0, 1))
    return done.status == 0


def _did_not_follow(checkout: Worktree, why: str) -> str:
    return f"the checkout in `{checkout.path}` did not follow: {why} (hint: git -C {checkout.path} status)"
