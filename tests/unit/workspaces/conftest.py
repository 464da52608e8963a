"""A small repo and the workspaces made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.git_repo import GitRepo

from weft.processes import Completed, capture
from weft.workspaces import Git, GitWorkspaces


class Counted:
    """Runs git as ever and keeps the commands."""

    def __init__(self) -> None:
        self.commands: list[tuple[str, ...]] = []

    async def __call__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        input: bytes = b"",  # noqa: A002
    ) -> Completed:
        self.commands.append(tuple(argv))
        return await capture(argv, cwd=cwd, env=env, input=input)


class Setups:
    """Stands in for the warden: notes what it was asked to run, and answers as told."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Path, str]] = []
        self.answer = (0, "")

    async def __call__(self, command: str, folder: Path, log_name: str, checkout: Path) -> tuple[int, str]:
        self.calls.append((command, folder, log_name))
        return self.answer


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    return GitRepo(tmp_path / "shop", tmp_path / "home")


@pytest.fixture
def setups() -> Setups:
    return Setups()


@pytest.fixture
def counted() -> Counted:
    return Counted()


@pytest.fixture
def git(repo: GitRepo, counted: Counted) -> Git:
    return Git(repo.environment, run=counted)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "worktrees"


@pytest.fixture
def workspaces(root: Path, git: Git, setups: Setups) -> GitWorkspaces:
    return GitWorkspaces(root, git, setups)
