"""Finding the main checkout without git; git itself is the judge."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests.git_repo import GitRepo

from weft.locks.checkout import find_checkout
from weft.locks.folder import lock_folder


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    return GitRepo(tmp_path / "shop", tmp_path / "home")


def git_says(path: Path, repo: GitRepo) -> Path:
    return Path(repo.git("rev-parse", "--path-format=absolute", "--git-common-dir", cwd=path)).resolve()


def test_from_the_checkout_and_below(repo: GitRepo) -> None:
    """Any folder of it."""
    below = repo.path / "a" / "b"
    below.mkdir(parents=True)
    for start in (repo.path, below):
        found = find_checkout(start)
        assert found is not None
        assert (found.root, found.common_dir) == (repo.path.resolve(), git_says(start, repo))


def test_from_a_worktree(repo: GitRepo, tmp_path: Path) -> None:
    """One lock for the repo, wherever Weft is started (LOCK-1)."""
    repo.git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "x")
    (tmp_path / "tree" / "deep").mkdir()
    found = find_checkout(tmp_path / "tree" / "deep")
    assert found is not None
    assert found.root == repo.path.resolve()
    assert found.common_dir == git_says(tmp_path / "tree", repo)


def test_from_a_worktree_with_relative_links(repo: GitRepo, tmp_path: Path) -> None:
    """As newer git can write them."""
    repo.git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "x")
    link = tmp_path / "tree" / ".git"
    link.write_text(f"gitdir: {os.path.relpath(repo.path / '.git/worktrees/tree', tmp_path / 'tree')}\n")
    found = find_checkout(tmp_path / "tree")
    assert found is not None
    assert found.root == repo.path.resolve()


def test_from_a_submodule_and_its_worktree(repo: GitRepo, tmp_path: Path) -> None:
    """A submodule is a repo of its own."""
    inner = GitRepo(tmp_path / "inner", tmp_path / "home")
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "sub")
    sub = repo.path / "sub"
    found = find_checkout(sub)
    assert found is not None
    assert (found.root, found.common_dir) == (sub.resolve(), git_says(sub, repo))
    repo.git("worktree", "add", "-q", str(tmp_path / "subtree"), "-b", "y", cwd=sub)
    found = find_checkout(tmp_path / "subtree")
    assert found is not None
    assert (found.root, found.common_dir) == (sub.resolve(), git_says(sub, repo))


def test_through_a_link(repo: GitRepo, tmp_path: Path) -> None:
    """Two names of one folder are one repo."""
    (tmp_path / "link").symlink_to(repo.path)
    found = find_checkout(tmp_path / "link")
    assert found is not None
    assert found.root == repo.path.resolve()


@pytest.mark.parametrize("content", ["", "gitdir: /nonexistent", "nonsense", "gitdir:"])
def test_a_git_file_that_leads_nowhere(tmp_path: Path, content: str) -> None:
    """No repo, and no crash; git says the same."""
    folder = tmp_path / "x"
    folder.mkdir()
    (folder / ".git").write_text(content)
    done = subprocess.run(["git", "rev-parse"], cwd=folder, capture_output=True, check=False)
    assert done.returncode != 0
    assert find_checkout(folder) is None


def test_outside_of_any_repo(tmp_path: Path) -> None:
    """An empty `.git` folder makes none."""
    (tmp_path / ".git").mkdir()
    assert find_checkout(tmp_path) is None


def test_where_the_locks_are(tmp_path: Path) -> None:
    """`.weft/locks` of the main checkout, unless `WEFT_LOCKS_DIR` says otherwise (LOCK-1)."""
    assert lock_folder(tmp_path) == tmp_path / ".weft" / "locks"
    assert lock_folder(tmp_path, "/var/locks") == Path("/var/locks")
    assert lock_folder(tmp_path, "elsewhere") == tmp_path / "elsewhere"
