"""A branch merged onto another commit, in no worktree and on no branch (MERGE-2)."""

from __future__ import annotations

from weft.errors import WorkspaceError
from weft.ports import Merged
from weft.workspaces.git import Git
from weft.workspaces.lookup import commits, is_ancestor
from weft.workspaces.site import Site
from weft.workspaces.start import merge_commit, merge_trees


async def make_merge(git: Git, site: Site, source: str, onto: str, message: str) -> Merged:
    """Always a commit of its own whose first parent is `onto`; made again, it is the same commit."""
    root = site.root
    for commit, found in zip((source, onto), await commits(git, root, [source, onto]), strict=True):
        if found is None:
            raise WorkspaceError(f"commit `{commit}` is gone from `{root}`", hint="git fsck")
    if await is_ancestor(git, root, source, onto):
        return Merged(onto)
    tree, conflicts = await merge_trees(git, root, onto, source)
    if conflicts:
        return Merged(conflicts=conflicts)
    return Merged(await merge_commit(git, root, tree, (onto, source), message))
