"""A worktree whose removal a kill cut in two is no obstacle afterwards (RECOVER-1)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.git_repo import GitRepo

from weft.workspaces import Git, GitWorkspaces


class Killed(BaseException):
    """Stands for a kill -9."""


async def no_setup(command: str, folder: Path, log: str) -> tuple[int, str]:
    return 0, ""


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    return GitRepo(tmp_path / "shop", tmp_path / "home")


async def half_removed(repo: GitRepo, folder: Path, monkeypatch: pytest.MonkeyPatch) -> GitWorkspaces:
    """Workspaces of which the one of job 1 has lost the first of its two halves."""
    workspaces = GitWorkspaces(folder, Git(repo.environment), no_setup)
    workspace = await workspaces.prepare(repo.ask())
    renamed: list[Path] = []
    rename = Path.rename

    def once(self: Path, target: Path) -> Path:
        if renamed:
            raise Killed
        renamed.append(self)
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", once)
        with pytest.raises(Killed):
            await workspace.close(remove_if_clean=True)
    return GitWorkspaces(folder, Git(repo.environment), no_setup)


async def test_the_job_can_run_again(repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its workspace is made anew."""
    workspaces = await half_removed(repo, tmp_path / "worktrees", monkeypatch)
    again = await workspaces.prepare(repo.ask())
    assert (again.path / "README.md").exists()


async def test_its_closing_can_be_finished(repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking for it to close it finds none, and leaves no half of it."""
    workspaces = await half_removed(repo, tmp_path / "worktrees", monkeypatch)
    assert await workspaces.reopen(repo.ask()) is None
    assert not list((repo.path / ".git" / "worktrees").glob("*"))
    assert not [path for path in (tmp_path / "worktrees").glob("*/*") if path.is_dir()]
