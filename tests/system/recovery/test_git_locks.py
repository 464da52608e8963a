"""Lock files that a killed git left (RECOVER-5)."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest
from tests.git_repo import GitRepo
from tests.system.recovery.outcome import Outcome, recover_and_compare
from tests.system.recovery.world import World

from weft.workspaces.stale_locks import clear_stale_locks

SHARED = (
    "packed-refs.lock",
    "config.lock",
    "refs/heads/weft/1-thing-1.lock",
    "refs/heads/weft/3-thing-3.lock",
    "refs/heads/of-an-agent.lock",
    "refs/stash.lock",
    "refs/weft/saved/shop.4/20260101T000000-0123456789.lock",
)


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    return GitRepo(tmp_path / "shop", tmp_path / "home")


def leave(git_dir: Path, *names: str) -> list[Path]:
    for name in names:
        (git_dir / name).parent.mkdir(parents=True, exist_ok=True)
        (git_dir / name).touch()
    return [git_dir / name for name in names]


@pytest.mark.parametrize("event", [12, 30])
def test_those_of_a_dead_run_are_cleared(world: World, uninterrupted: Outcome, event: int) -> None:
    """Whatever lock its git or its agents' git held when it was killed: the run goes on as if there were none."""
    world.run_dying("after", event)
    git_dir = world.repo.path / ".git"
    leave(git_dir, *SHARED)
    for admin in git_dir.glob("worktrees/*"):
        leave(admin, "index.lock", "HEAD.lock", "ORIG_HEAD.lock")
    recover_and_compare(world, uninterrupted)


def test_the_users_own_stay(repo: GitRepo) -> None:
    """A `git commit` in the main checkout, its editor open, holds these without any process to be seen at it."""
    locks = leave(repo.path / ".git", "index.lock", "HEAD.lock")
    assert clear_stale_locks(repo.path, since=0.0) == []
    assert all(lock.exists() for lock in locks)


def test_older_ones_stay(repo: GitRepo) -> None:
    """What was there before the run began is not the run's."""
    (lock,) = leave(repo.path / ".git", "packed-refs.lock")
    began = time.time()
    os.utime(lock, (began - 60, began - 60))
    assert clear_stale_locks(repo.path, since=began) == []
    assert lock.exists()


def test_those_of_a_living_git_stay(repo: GitRepo) -> None:
    """While any git is at work in the repo, a lock may be its own."""
    (lock,) = leave(repo.path / ".git", "packed-refs.lock")
    argv = ["git", "cat-file", "--batch"]
    with subprocess.Popen(argv, cwd=repo.path, env=repo.environment, stdin=subprocess.PIPE) as living:
        assert clear_stale_locks(repo.path, since=0.0) == []
        assert lock.exists()
        living.communicate()
    assert clear_stale_locks(repo.path, since=0.0) == [lock]


def test_a_folder_that_is_no_repo(tmp_path: Path) -> None:
    """There is nothing to clear, and nothing to complain of."""
    assert clear_stale_locks(tmp_path / "gone", since=0.0) == []
