"""Workspaces as git worktrees: made, or brought back after a crash. Safe to repeat."""

from __future__ import annotations

from pathlib import Path

from weft.ports import WorkspaceAsk
from weft.workspaces.furnish import RunSetup
from weft.workspaces.git import Git
from weft.workspaces.preparation import Preparation
from weft.workspaces.reasons import explained
from weft.workspaces.reopening import reopened
from weft.workspaces.sites import MIN_FREE, Sites
from weft.workspaces.workspace import MADE, GitWorkspace


class GitWorkspaces:
    """`root` is the folder that all workspaces live under; `run_setup` runs a repo's set-up command."""

    def __init__(self, root: Path, git: Git, run_setup: RunSetup, *, min_free: int = MIN_FREE) -> None:
        self.sites = Sites(root, git, min_free=min_free)
        self._run_setup = run_setup

    async def prepare(self, ask: WorkspaceAsk) -> GitWorkspace:
        with explained(f"making the workspace of {ask.job}", Path(ask.repo.path)):
            self.sites.check_disk()
            site = await self.sites.of(ask.repo)
            prepared = await Preparation(site, ask, self.sites.writers, self._run_setup).run()
        return GitWorkspace(MADE, prepared)

    async def reopen(self, ask: WorkspaceAsk) -> GitWorkspace | None:
        with explained(f"opening the workspace of {ask.job}", Path(ask.repo.path)):
            prepared = await reopened(await self.sites.of(ask.repo), ask)
        return GitWorkspace(MADE, prepared) if prepared else None
