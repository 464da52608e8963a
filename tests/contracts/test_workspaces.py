"""What every implementation of the ports Workspaces and Workspace promises. A new one is a new row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.git_repo import GitRepo

from weft.errors import WorkspaceError
from weft.ports import Workspace, Workspaces
from weft.workspaces import Git, GitWorkspaces

Make = Callable[[Path, GitRepo], Workspaces]


async def no_setup(command: str, folder: Path, log_name: str, checkout: Path) -> tuple[int, str]:
    return 0, ""


def git_worktrees(folder: Path, repo: GitRepo) -> Workspaces:
    return GitWorkspaces(folder / "worktrees", Git(repo.environment), no_setup)


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    return GitRepo(tmp_path / "shop", tmp_path / "home")


@pytest.fixture(params=[git_worktrees])
def workspaces(request: pytest.FixtureRequest, tmp_path: Path, repo: GitRepo) -> Workspaces:
    make: Make = request.param
    return make(tmp_path, repo)


@pytest.fixture
async def workspace(workspaces: Workspaces, repo: GitRepo) -> Workspace:
    return await workspaces.prepare(repo.ask())


async def test_a_fresh_one_stands_at_the_base(workspace: Workspace, repo: GitRepo) -> None:
    """RUN-6: path, branch, base and head of a workspace agree with git."""
    assert workspace.path.is_dir()
    assert workspace.branch == "weft/1-x"
    assert workspace.base == workspace.head == await workspace.tip() == repo.tip("main")
    assert workspace.saved == ()


async def test_prepare_repeats(workspaces: Workspaces, workspace: Workspace, repo: GitRepo) -> None:
    """RECOVER-3: preparing again after a crash gives the same workspace."""
    again = await workspaces.prepare(repo.ask())
    assert (again.path, again.head, again.base) == (workspace.path, workspace.head, workspace.base)


async def test_a_refusal_is_a_workspace_error(workspaces: Workspaces, repo: GitRepo) -> None:
    """RUN-6: if one cannot be made, the reason is told by one kind of error."""
    with pytest.raises(WorkspaceError):
        await workspaces.prepare(repo.ask(base="nowhere"))


async def test_commit_says_what_changed(workspace: Workspace, repo: GitRepo) -> None:
    """RUN-20: `changed` since the attempt began, `empty` against the base."""
    nothing = await workspace.commit("nothing", workspace.head)
    assert (nothing.head, nothing.changed, nothing.empty) == (workspace.head, False, True)
    repo.write("a.txt", "a", inside=workspace.path)
    something = await workspace.commit("something", workspace.head)
    assert (something.changed, something.empty) == (True, False)
    assert something.head == await workspace.tip()
    assert "a.txt" in await workspace.changes()
    repo.git("rm", "-q", "a.txt", cwd=workspace.path)
    undone = await workspace.commit("undone", something.head)
    assert (undone.changed, undone.empty) == (True, True)


async def test_restore_saves_what_is_beyond(workspace: Workspace, repo: GitRepo) -> None:
    """Principle 2: nothing is lost on the way back."""
    repo.write("a.txt", "a", inside=workspace.path)
    tip = (await workspace.commit("a", workspace.head)).head
    saved = await workspace.restore(workspace.head)
    assert [repo.tip(ref) for ref in saved] == [tip]
    assert await workspace.tip() == workspace.head
    assert await workspace.restore(workspace.head) == ()


async def test_tidy_leaves_the_tip(workspace: Workspace, repo: GitRepo) -> None:
    """What gates left goes; what is committed stays."""
    repo.write("a.txt", "a", inside=workspace.path)
    tip = (await workspace.commit("a", workspace.head)).head
    repo.write("a.txt", "b", inside=workspace.path)
    repo.write("junk.txt", "junk", inside=workspace.path)
    await workspace.tidy()
    assert (workspace.path / "a.txt").read_text() == "a"
    assert not (workspace.path / "junk.txt").exists()
    assert await workspace.tip() == tip


async def test_reopened_as_it_was_left(workspaces: Workspaces, workspace: Workspace, repo: GitRepo) -> None:
    """RECOVER-3: another process takes it up with nothing reset; there is none before it was made."""
    repo.write("half.txt", "half", inside=workspace.path)
    again = await workspaces.reopen(repo.ask())
    assert again is not None
    assert (again.path, again.base, again.head) == (workspace.path, workspace.base, workspace.head)
    assert (again.path / "half.txt").read_text() == "half"
    assert await workspaces.reopen(repo.ask("2")) is None


async def test_close_removes_only_what_is_clean(workspace: Workspace, repo: GitRepo) -> None:
    """RUN-14: what is not on the branch is saved and the folder stays; once clean, it goes and the branch stays."""
    repo.write("a.txt", "a", inside=workspace.path)
    kept = await workspace.close(remove_if_clean=True)
    assert kept.kept == workspace.path
    assert len(kept.saved) == 1
    tip = (await workspace.commit("a", workspace.head)).head
    closed = await workspace.close(remove_if_clean=True)
    assert (closed.kept, closed.head) == (None, tip)
    assert not workspace.path.exists()
    assert repo.tip(workspace.branch) == tip
