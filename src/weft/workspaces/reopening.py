"""A workspace that a dead process left, taken up as it is."""

from __future__ import annotations

from weft.ports import WorkspaceAsk
from weft.workspaces.lookup import commits
from weft.workspaces.mark import NAME, read_mark
from weft.workspaces.site import Site, folder_name
from weft.workspaces.workspace import Prepared
from weft.workspaces.worktree import drop_broken, linked


async def reopened(site: Site, ask: WorkspaceAsk) -> Prepared | None:
    """Nothing is reset; None where there is no whole worktree of this job, not even half of one any more."""
    path = site.path(ask.job)
    if not path.exists():
        drop_broken(path, site.common_dir, making=False)
    worktree = linked(path, site.common_dir)
    mark = read_mark(worktree.admin / NAME) if worktree else None
    if worktree is None or mark is None or not mark.is_of(ask.job):
        return None
    git = await site.git.get(worktree)
    tip = (await commits(git, site.root, [f"refs/heads/{ask.branch}"]))[0]
    return Prepared(
        site=site,
        worktree=worktree,
        folder=folder_name(ask.job),
        branch=ask.branch,
        base=mark.base,
        head=tip or mark.base,
        saved=(),
        label=f"{ask.run}/{ask.job}",
    )
