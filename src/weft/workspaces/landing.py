"""The target moves to a tree that was tested, by compare-and-swap; a clean checkout of it may follow (MERGE-2)."""

from __future__ import annotations

from weft.errors import WorkspaceError
from weft.model.plan import MergeInto
from weft.ports import Landing
from weft.workspaces.checkouts import check_checkouts, checkouts
from weft.workspaces.following import check_untracked, follow, take_up_following
from weft.workspaces.git import Git, GitFailed
from weft.workspaces.lookup import is_ancestor
from weft.workspaces.site import Site
from weft.workspaces.target import move_target, target_tip
from weft.workspaces.worktree import Worktree


async def land(git: Git, site: Site, into: MergeInto, commit: str, expected: str) -> Landing:
    tip = await _tip(git, site, into)
    if await is_ancestor(git, site.root, commit, tip):
        return await _landed_before(git, site, into, tip, expected)
    if tip != expected:
        return Landing(landed=False, tip=tip)
    if not await is_ancestor(git, site.root, expected, commit):
        raise WorkspaceError(f"`{commit}` does not build on `{expected}`, so `{into.target}` may not become it")
    following = await _followers(git, site, into, expected, commit)
    try:
        await move_target(git, site, into, commit, expected, "weft: merged")
    except GitFailed:
        tip = await _tip(git, site, into)
        if tip == expected:
            raise
        return Landing(landed=await is_ancestor(git, site.root, commit, tip), tip=tip)
    return Landing(landed=True, tip=commit, problem=await _follow_all(git, following, expected, commit))


async def _tip(git: Git, site: Site, into: MergeInto) -> str:
    tip = await target_tip(git, site, into)
    if tip is None:
        raise WorkspaceError(f"branch `{into.target}` is gone from `{site.root}`", hint="weft queue release")
    return tip


async def _followers(git: Git, site: Site, into: MergeInto, old: str, new: str) -> list[Worktree]:
    """Checkouts of the target, all of which can follow it; else nothing may move."""
    await check_checkouts(git, site.root, site.common_dir, into)
    found = list(checkouts(site.root, site.common_dir, into.target))
    for checkout in found:
        await check_untracked(git, checkout, into.target, old, new)
    return found


async def _follow_all(git: Git, found: list[Worktree], old: str, new: str) -> str | None:
    problems = [await follow(git, checkout, old, new) for checkout in found]
    return next((problem for problem in problems if problem), None)


async def _landed_before(git: Git, site: Site, into: MergeInto, tip: str, expected: str) -> Landing:
    """By a process that may have died before the checkouts had followed."""
    problem = None
    if into.update_checkout:
        for checkout in checkouts(site.root, site.common_dir, into.target):
            problem = await take_up_following(git, checkout, expected, tip) or problem
    return Landing(landed=True, tip=tip, problem=problem)
