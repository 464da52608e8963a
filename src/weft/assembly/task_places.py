"""Where tasks work: each folder becomes a `Repo` of the plan, with a name of its own."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from weft.assembly.repo import workspace_setup
from weft.errors import UsageError
from weft.model.plan import Repo
from weft.settings.environment import Environment
from weft.settings.load import load
from weft.workspaces.git import Git, GitFailed
from weft.workspaces.repository import Repository, find_repo


class Place(msgspec.Struct, frozen=True):
    repo: str
    """By the plan's name for it."""
    folder: str = ""
    """Within it."""


class Places:
    """Gives out places; the same folder is the same repo."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._git = Git(environment.variables)
        self._repos: dict[Path, Repo] = {}
        self._names: set[str] = set()
        self._folders: dict[str, Path] = {}
        self._in_place: dict[Path, Place] = {}
        self._isolated: dict[Path, Place] = {}

    @property
    def repos(self) -> tuple[Repo, ...]:
        return tuple(self._repos.values())

    def folder(self, workdir: str | None) -> Path:
        """The folder that is meant; UsageError where there is none."""
        given = workdir or "."
        if given not in self._folders:
            self._folders[given] = self._folder(given)
        return self._folders[given]

    def _folder(self, given: str) -> Path:
        home = self._environment.home
        meant = home / given[2:] if given.startswith("~/") else home if given == "~" else Path(given)
        path = Path(os.path.abspath(self._environment.folder / meant))  # noqa: PTH100 links stay as they are named
        if not path.is_dir():
            raise UsageError(f"a folder: `{path}` " + ("is not one" if path.exists() else "does not exist"))
        return path

    def in_place(self, folder: Path) -> Place:
        if folder not in self._in_place:
            self._in_place[folder] = Place(self._repo(folder.resolve()).name)
        return self._in_place[folder]

    async def isolated(self, folder: Path) -> Place:
        """A worktree of the folder's repo, which starts at what is checked out there."""
        if folder not in self._isolated:
            self._isolated[folder] = await self._of_repo(folder)
        return self._isolated[folder]

    async def _of_repo(self, folder: Path) -> Place:
        facts = await find_repo(self._git, folder)
        try:
            base = await self._git.line("rev-parse", "--verify", "HEAD^{commit}", cwd=folder)
        except GitFailed:
            raise UsageError(f"`{facts.root}` has no commit yet", hint="commit something, then try again") from None
        within = (await self._git.line("rev-parse", "--show-prefix", cwd=folder)).rstrip("/")
        settings = load(self._environment, facts.root).settings
        await Repository(self._git, facts).check_branch_prefix(settings.run.branch_prefix)
        repo = self._repo(facts.root)
        if repo.base and repo.base != base:
            raise UsageError(f"`{folder}` has another commit checked out than another worktree of the same repo")
        setup = workspace_setup(settings.workspace)
        self._repos[facts.root] = msgspec.structs.replace(repo, base=base, workspace=setup, gate_env=settings.gates.env)
        return Place(repo.name, within)

    def _repo(self, path: Path) -> Repo:
        if path not in self._repos:
            self._repos[path] = Repo(name=self._name(path), path=str(path))
        return self._repos[path]

    def _name(self, path: Path) -> str:
        """The folder's; with a number where another has it."""
        plain = path.name.replace("#", "-") or "root"
        name, number = plain, 1
        while name in self._names:
            number += 1
            name = f"{plain}-{number}"
        self._names.add(name)
        return name
