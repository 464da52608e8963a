"""The branch that a repo's merge queue lands on: where it stands, and whether Weft may move it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from weft.errors import WorkspaceError
from weft.model.plan import MergeInto, Repo
from weft.ports import TargetTip
from weft.workspaces.git import Git, GitFailed
from weft.workspaces.lookup import commits
from weft.workspaces.ref_locks import despite_locks
from weft.workspaces.site import Site
from weft.workspaces.status import read_status, under_way
from weft.workspaces.worktree import Worktree, holding

MUST_NOT_EXIST = ""
"""As the old value of a ref, to git."""


def target_ref(into: MergeInto) -> str:
    return f"refs/heads/{into.target}"


async def read_target(git: Git, site: Site, repo: Repo, into: MergeInto) -> TargetTip:
    await check_checkouts(git, site, into)
    found = await target_tip(git, site, into)
    if found is not None:
        return TargetTip(found)
    return await _make(git, site, repo, into)


async def target_tip(git: Git, site: Site, into: MergeInto) -> str | None:
    return (await commits(git, site.root, [target_ref(into)]))[0]


async def _make(git: Git, site: Site, repo: Repo, into: MergeInto) -> TargetTip:
    """From the base, unless another makes it at the same time: then theirs is as good."""
    base = (await commits(git, site.root, [repo.base]))[0]
    if base is None:
        raise WorkspaceError(
            f"base `{repo.base}` is not a commit of `{site.root}`", hint="commit something, fetch it, or set `run.base`"
        )
    try:
        await move_target(git, site, into, base, MUST_NOT_EXIST, "weft: made for merging")
    except GitFailed:
        found = await target_tip(git, site, into)
        if found is None:
            raise
        return TargetTip(found)
    return TargetTip(base, made=True)


async def move_target(git: Git, site: Site, into: MergeInto, commit: str, expected: str, why: str) -> None:
    """By compare-and-swap; GitFailed where it is not at `expected`."""
    ref = target_ref(into)

    async def move() -> None:
        await git.run("update-ref", "-m", why, ref, commit, expected, cwd=site.root)

    await despite_locks(site.root, site.common_dir / f"{ref}.lock", move)


def checkouts(site: Site, branch: str) -> Iterator[Worktree]:
    """Who has the branch checked out: the user, since Weft's own never have the target."""
    for worktree in holding(branch, site.common_dir):
        is_main = worktree.admin == site.common_dir
        yield Worktree(site.root, site.common_dir) if is_main else worktree


async def check_checkouts(git: Git, site: Site, into: MergeInto) -> None:
    """Refuse to move a branch under a checkout, but for a clean one where settings say that it may follow."""
    for checkout in checkouts(site, into.target):
        if not into.update_checkout:
            raise checked_out(into.target, checkout.path)
        if problem := await _unfit(git, checkout, into.target):
            raise WorkspaceError(
                f"branch `{into.target}` is checked out in `{checkout.path}`, and {problem}",
                hint="commit or stash what is there, or merge into another branch: `target` under `[merge]`",
            )


def checked_out(target: str, folder: Path) -> WorkspaceError:
    return WorkspaceError(
        f"branch `{target}` is checked out in `{folder}`, which Weft does not touch",
        hint="merge into another branch: `target` under `[merge]`; or `update_checkout = true` there, "
        "which lets a clean checkout follow",
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
