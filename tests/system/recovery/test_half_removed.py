"""A worktree whose removal a kill cut in two, or that someone took away, is no obstacle afterwards (RECOVER-1)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.git_repo import GitRepo
from tests.system.recovery.outcome import Outcome, outcome, remains_of_dead
from tests.system.recovery.world import World

from weft.workspaces import Git, GitWorkspaces


class Killed(BaseException):
    """Stands for a kill -9."""


async def no_setup(command: str, folder: Path, log: str, checkout: Path) -> tuple[int, str]:
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


@pytest.mark.parametrize("event", [28, 31, 33])
def test_worktrees_that_were_taken_away(world: World, uninterrupted: Outcome, event: int) -> None:
    """Someone tidied up after the crash: what was committed is on its branch, and the rest is done again."""
    world.run_dying("before", event)
    remains_of_dead(world, world.runs[0])
    shutil.rmtree(world.state / "worktrees")
    found = outcome(world, world.weft("recover", "--json"))
    assert (found.jobs, found.trees, found.locks) == (uninterrupted.jobs, uninterrupted.trees, [])
