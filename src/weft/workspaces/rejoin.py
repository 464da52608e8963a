"""Bring what an agent left beside the job's branch back onto it.

An agent may leave HEAD detached, on a branch of its own, or in the middle of a rebase; it may have deleted or renamed
the job's branch. What is uncommitted is committed on top of where HEAD stands. Then, with B the branch and W that work:

- W has all of B: the branch moves forward to W.
- B has all of W: the branch stays.
- neither: a merge of both. Where they conflict, W is saved to a ref and the error names it; the branch stays.

A rebase in the middle has B's commits half replayed, so B as it was before is the result (as `git rebase --abort` has
it) and what was in the middle is saved to a ref. Branches the agent made are left alone.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from weft.errors import WorkspaceError
from weft.workspaces.checkout import bring_to
from weft.workspaces.git import Git
from weft.workspaces.lookup import is_sha, objects
from weft.workspaces.saving import Saver, add_all, commit_tree, save_beyond
from weft.workspaces.start import joined
from weft.workspaces.status import Status
from weft.workspaces.worktree import Worktree


async def rejoin(saver: Saver, worktree: Worktree, branch: str, status: Status, since: str, message: str) -> str:
    """The branch's new tip; HEAD is on the branch again and the folder is clean."""
    git, root = saver.git, saver.root
    tip = (await objects(git, root, [f"refs/heads/{branch}^{{commit}}"]))[0] or since
    if _is_rebasing(worktree.admin):
        await _save_rebase(saver, worktree, status, tip)
        new = tip
    else:
        work = await _commit_aside(git, worktree, status, tip, message)
        new = await _join(saver, branch, tip, work)
    await bring_to(git, worktree, branch, new)
    return new


async def _save_rebase(saver: Saver, worktree: Worktree, status: Status, tip: str) -> None:
    if await saver.save_work(worktree, status, tip) is None and status.head:
        await save_beyond(saver, status.head, tip)


async def _commit_aside(git: Git, worktree: Worktree, status: Status, tip: str, message: str) -> str:
    """The commit of all that is in the folder, on no branch yet."""
    merging = _heads(worktree.admin / "MERGE_HEAD")
    if status.head and not status.dirty and not merging:
        return status.head
    await add_all(git, worktree, status.nested)
    tree = await git.line("write-tree", cwd=worktree.path, environment=worktree.environment)
    return await commit_tree(git, worktree.path, tree, [status.head or tip, *merging], message)


async def _join(saver: Saver, branch: str, tip: str, work: str) -> str:
    try:
        return await joined(saver.git, saver.root, (tip, branch), (work, "what the agent left"))
    except WorkspaceError as conflict:
        ref = await saver.save_commit(work)
        raise WorkspaceError(
            f"the agent left its work beside `{branch}`: {conflict}; it is saved as `{ref}`",
            hint=f"git merge {ref}",
        ) from conflict


def _is_rebasing(admin: Path) -> bool:
    return (admin / "rebase-merge").exists() or (admin / "rebase-apply").exists()


def _heads(file: Path) -> list[str]:
    with contextlib.suppress(OSError):
        return [word for word in file.read_text().split() if is_sha(word)]
    return []
