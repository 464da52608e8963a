"""The branch that a repo's merge queue lands on: where it stands, and whether Weft may move it."""

from __future__ import annotations

from weft.errors import WorkspaceError
from weft.model.plan import MergeInto, Repo
from weft.ports import TargetTip
from weft.workspaces.checkouts import check_checkouts
from weft.workspaces.git import Git, GitFailed
from weft.workspaces.lookup import commits
from weft.workspaces.ref_locks import despite_locks
from weft.workspaces.site import Site

MUST_NOT_EXIST = ""
"""As the old value of a ref, to git."""


def target_ref(into: MergeInto) -> str:
    return f"refs/heads/{into.target}"


async def read_target(git: Git, site: Site, repo: Repo, into: MergeInto) -> TargetTip:
    await check_checkouts(git, site.root, site.common_dir, into)
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
