"""Git for one repo, made safe for what agents may have written into its configuration."""

from __future__ import annotations

from pathlib import Path

from weft.model.plan import WorkspaceSetup
from weft.workspaces.config import read_config
from weft.workspaces.excludes import users_excludes, write_excludes
from weft.workspaces.git import Git
from weft.workspaces.repository import RepoFacts
from weft.workspaces.worktree import Worktree

_Signature = tuple[tuple[int, int, int] | None, ...]


class SafeGit:
    """Reads the configuration once, and again whenever its files changed: an agent may write to it at any time."""

    def __init__(self, git: Git, repo: RepoFacts, setup: WorkspaceSetup, folder: Path) -> None:
        self._git = git.with_environment({"GIT_DIR": str(repo.common_dir)})
        self._repo = repo
        self._setup = setup
        self._folder = folder
        self._made: dict[Path | None, tuple[_Signature, Git]] = {}

    async def get(self, worktree: Worktree | None = None) -> Git:
        """Git with this repo's options, at the repo; give `worktree.environment` to work in a worktree."""
        own = worktree.admin / "config.worktree" if worktree else None
        own = own if own and own.exists() else None
        common = self._repo.common_dir
        files = [common / "config", common / "config.worktree", *([own] if own else [])]
        signature = tuple(_signature(file) for file in files)
        known = self._made.get(own)
        if known and known[0] == signature:
            return known[1]
        return await self._make(own, worktree, signature)

    async def _make(self, key: Path | None, worktree: Worktree | None, signature: _Signature) -> Git:
        environment = worktree.environment if worktree and key else {}
        config = await read_config(self._git, self._repo.root, environment)
        users = users_excludes(config.excludes_file, self._git.environment)
        excludes = write_excludes(self._folder, users, self._setup)
        git = self._git.with_options(f"core.excludesFile={excludes}", *config.silenced)
        git = git.with_environment(config.identity)
        if not config.has_includes:
            self._made[key] = (signature, git)
        return git


def _signature(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
