"""Checkouts of the branch that a merge queue lands on. They are the user's: Weft's own never have that branch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from weft.errors import WorkspaceError
from weft.model.plan import MergeInto
from weft.workspaces.git import Git
from weft.workspaces.status import read_status, under_way
from weft.workspaces.worktree import Worktree, holding


def checkouts(root: Path, common_dir: Path, branch: str) -> Iterator[Worktree]:
    for worktree in holding(branch, common_dir):
        yield Worktree(root, common_dir) if worktree.admin == common_dir else worktree


async def check_checkouts(git: Git, root: Path, common_dir: Path, into: MergeInto) -> None:
    """Refuse to move a branch under a checkout, but for a clean one where settings say that it may follow."""
    for checkout in checkouts(root, common_dir, into.target):
        if not into.update_checkout:
            raise WorkspaceError(
                f"branch `{into.target}` is checked out in `{checkout.path}`, which Weft does not touch",
                hint="merge into another branch: `target` under `[merge]`; or `update_checkout = true` there, "
                "which lets a clean checkout follow",
            )
        if problem := await _unfit(git, checkout, into.target):
            raise WorkspaceError(
                f"branch `{into.target}` is checked out in `{checkout.path}`, and {problem}",
                hint="commit or stash what is there, or merge into another branch: `target` under `[merge]`",
            )


async def _unfit(git: Git, checkout: Worktree, branch: str) -> str | None:
    """Why the checkout cannot follow its branch now."""
    if not checkout.path.is_dir():
        return "that folder is gone"
    status = await read_status(git, checkout)
    if status.branch != branch or under_way(checkout.admin):
        return "a merge, a rebase or the like is under way there"
    if status.changed:
        return "it has changes that are not committed"
    return None
