"""The repos that workspaces are made of, each looked at once."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from weft.errors import WorkspaceError
from weft.model.plan import Repo
from weft.workspaces.checkout import cores, empty_trash
from weft.workspaces.git import Git
from weft.workspaces.repository import find_repo
from weft.workspaces.site import Site

MIN_FREE = 64 * 2**20


class Sites:
    """`root` is the folder that all workspaces live under."""

    def __init__(self, root: Path, git: Git, *, min_free: int = MIN_FREE) -> None:
        self._root = root
        self._git = git
        self._min_free = min_free
        self._sites: dict[Repo, Site] = {}
        self._looking = asyncio.Lock()
        self.writers = asyncio.Semaphore(max(8, cores() * 2))
        """Checkouts at a time: more than cores, since they also wait for the disk."""

    def check_disk(self) -> None:
        self._root.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(self._root).free
        if free < self._min_free:
            raise WorkspaceError(
                f"only {free // 2**20} MB are free in `{self._root}`", hint="free some space, then run it again"
            )

    async def of(self, repo: Repo) -> Site:
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
