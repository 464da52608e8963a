"""Workspaces as git worktrees: made, or brought back after a crash. Safe to repeat."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from weft.errors import ProcessError, UsageError, WorkspaceError
from weft.model.plan import Repo
from weft.ports import WorkspaceAsk
from weft.workspaces.checkout import cores, empty_trash
from weft.workspaces.furnish import RunSetup
from weft.workspaces.git import Git, GitFailed
from weft.workspaces.preparation import Preparation
from weft.workspaces.reasons import explain, explain_os
from weft.workspaces.reopening import reopened
from weft.workspaces.repository import find_repo
from weft.workspaces.site import Site
from weft.workspaces.workspace import MADE, GitWorkspace

MIN_FREE = 64 * 2**20


class GitWorkspaces:
    """`root` is the folder that all workspaces live under; `run_setup` runs a repo's set-up command."""

    def __init__(self, root: Path, git: Git, run_setup: RunSetup, *, min_free: int = MIN_FREE) -> None:
        self._root = root
        self._git = git
        self._run_setup = run_setup
        self._min_free = min_free
        self._sites: dict[Repo, Site] = {}
        self._looking = asyncio.Lock()
        self._writers = asyncio.Semaphore(max(8, cores() * 2))
        """Checkouts at a time: more than cores, since they also wait for the disk."""

    async def prepare(self, ask: WorkspaceAsk) -> GitWorkspace:
        where = Path(ask.repo.path)
        try:
            self._check_disk()
            site = await self._site(ask.repo)
            prepared = await Preparation(site, ask, self._writers, self._run_setup).run()
        except GitFailed as failure:
            raise explain(f"making the workspace of {ask.job}", where, failure) from failure
        except OSError as failure:
            raise explain_os(f"making the workspace of {ask.job}", where, failure) from failure
        except (UsageError, ProcessError) as wrong:
            raise WorkspaceError(wrong.message, hint=wrong.hint) from wrong
        return GitWorkspace(MADE, prepared)

    async def reopen(self, ask: WorkspaceAsk) -> GitWorkspace | None:
        try:
            prepared = await reopened(await self._site(ask.repo), ask)
        except GitFailed as failure:
            raise explain(f"opening the workspace of {ask.job}", Path(ask.repo.path), failure) from failure
        return GitWorkspace(MADE, prepared) if prepared else None

    def _check_disk(self) -> None:
        self._root.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(self._root).free
        if free < self._min_free:
            raise WorkspaceError(
                f"only {free // 2**20} MB are free in `{self._root}`", hint="free some space, then `weft recover`"
            )

    async def _site(self, repo: Repo) -> Site:
        """Looked at once per repo; after a failure, again."""
        async with self._looking:
            if repo not in self._sites:
                self._sites[repo] = await self._look_at(repo)
            return self._sites[repo]

    async def _look_at(self, repo: Repo) -> Site:
        facts = await find_repo(self._git, Path(repo.path))
        site = Site(self._root.resolve(), facts, self._git, repo.workspace)
        await site.git.get()
        await empty_trash(site)
        return site
