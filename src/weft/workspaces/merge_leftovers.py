"""Worktrees that a dead run left of its merge queue: nothing in them is of value, so they go (RECOVER-4)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from weft.model.ids import RunId
from weft.model.plan import WorkspaceSetup
from weft.workspaces.checkout import empty_trash
from weft.workspaces.git import Git
from weft.workspaces.mark import NAME, Purpose, read_mark
from weft.workspaces.merge_worktree import take_away
from weft.workspaces.repository import RepoFacts
from weft.workspaces.site import MAKING, Site
from weft.workspaces.stale_locks import common_dir_of
from weft.workspaces.worktree import admin_dirs, folder_of


async def remove_merge_worktrees(workspaces: Path, repo: Path, run: RunId) -> list[Path]:
    """Those of `run`, whole or half made, of the repo with this main checkout; answers which. Git is not asked."""
    common = common_dir_of(repo)
    if common is None:
        return []
    facts = RepoFacts(repo, repo.name, common.resolve())
    site = Site(workspaces.resolve(), facts, Git({}), WorkspaceSetup())
    found = list(dict.fromkeys(_found(site, run)))
    for path in found:
        await take_away(site, path)
    await empty_trash(site)
    return found


def _found(site: Site, run: RunId) -> Iterator[Path]:
    for admin in admin_dirs(site.common_dir):
        path = folder_of(admin)
        if path is not None and path.is_relative_to(site.folder) and _is_of(admin / NAME, run):
            yield path
    for intent in site.folder.glob(f"*{MAKING}"):
        if _is_of(intent, run):
            yield intent.with_name(intent.name.removesuffix(MAKING))


def _is_of(file: Path, run: RunId) -> bool:
    mark = read_mark(file)
    return mark is not None and mark.purpose is Purpose.GATES and mark.run == run
