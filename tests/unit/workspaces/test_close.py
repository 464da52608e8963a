"""The end of a workspace."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from tests.git_repo import GitRepo
from tests.unit.workspaces.conftest import Setups

from weft.model.plan import WorkspaceSetup
from weft.workspaces import Git, GitWorkspaces
from weft.workspaces.workspace import GitWorkspace


@pytest.fixture
async def made(repo: GitRepo, workspaces: GitWorkspaces) -> GitWorkspace:
    return await workspaces.prepare(repo.ask())


def debris(repo: GitRepo, root: Path) -> list[str]:
    """What is left of workspaces, in the repo and outside."""
    inside = [entry.name for entry in (repo.path / ".git").iterdir() if entry.name in ("worktrees", "weft-trash")]
    outside = [entry.name for entry in root.glob("*/*") if not entry.name.startswith((".turns", "excludes-"))]
    return inside + outside


async def test_a_clean_one_is_removed_and_its_branch_stays(repo: GitRepo, made: GitWorkspace, root: Path) -> None:
    """RUN-14: at the end of a passed job its worktree goes, ignored files included; the branch holds the work."""
    repo.write("a.txt", "a", inside=made.path)
    tip = (await made.commit("a", made.head)).head
    repo.write("node_modules/x.js", "x", inside=made.path)
    closed = await made.close(remove_if_clean=True)
    assert (closed.kept, closed.saved, closed.head) == (None, (), tip)
    assert debris(repo, root) == []
    assert repo.tip(made.branch) == tip


async def test_uncommitted_work_is_saved_and_the_folder_kept(repo: GitRepo, made: GitWorkspace) -> None:
    """Principle 2: what is not on the branch is on a ref, and the folder stays as it was for a person to look at."""
    repo.write("half.txt", "half", inside=made.path)
    before = repo.git("status", "--porcelain", cwd=made.path)
    closed = await made.close(remove_if_clean=True)
    assert closed.kept == made.path
    assert [repo.show(ref, "half.txt") for ref in closed.saved] == ["half"]
    assert repo.tip(f"{closed.saved[0]}^") == made.head
    assert repo.git("status", "--porcelain", cwd=made.path) == before
    assert repo.tip(made.branch) == made.head


async def test_kept_when_asked(made: GitWorkspace) -> None:
    """RUN-14: workspaces of jobs that did not pass are kept."""
    assert (await made.close(remove_if_clean=False)).kept == made.path


async def test_a_branch_with_nothing_on_it_goes_too(repo: GitRepo, made: GitWorkspace, root: Path) -> None:
    """A branch that this run made and nothing was done on is no debris in the user's repo."""
    closed = await made.close(remove_if_clean=True)
    assert closed.head is None
    assert not repo.exists(made.branch)
    assert debris(repo, root) == []


async def test_a_branch_that_was_there_before_stays(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """Weft takes away no branch that it did not make."""
    repo.git("branch", "weft/1-x")
    made = await workspaces.prepare(repo.ask())
    await made.close(remove_if_clean=True)
    assert repo.exists("weft/1-x")


async def test_commits_beside_the_branch_are_saved(repo: GitRepo, made: GitWorkspace) -> None:
    """Principle 2: commits on a detached HEAD that no branch has are on a ref before the worktree could go."""
    repo.git("switch", "-q", "--detach", cwd=made.path)
    repo.write("a.txt", "a", inside=made.path)
    tip = repo.commit("beside", inside=made.path)
    closed = await made.close(remove_if_clean=True)
    assert [repo.tip(ref) for ref in closed.saved] == [tip]
    assert closed.kept == made.path


async def test_the_other_side_of_a_merge_is_saved(repo: GitRepo, made: GitWorkspace) -> None:
    """Principle 2: interrupted in a merge, both sides and the files as they were are on the ref."""
    repo.write("same.txt", "ours\n", inside=made.path)
    ours = repo.commit("ours", inside=made.path)
    theirs = repo.branch("theirs", {"same.txt": "theirs\n"})
    repo.git("merge", "theirs", cwd=made.path, check=False)
    repo.git("branch", "-D", "theirs")
    (ref,) = (await made.close(remove_if_clean=True)).saved
    assert repo.git("log", "-1", "--format=%P", ref).split() == [ours, theirs]
    assert "<<<<<<<" in repo.show(ref, "same.txt")


async def test_what_is_linked_stays(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """Removing a workspace removes its links, never what they point to in the user's checkout."""
    repo.write(".gitignore", "deps\n.env\n")
    repo.commit("ignore")
    repo.write("deps/lib/a.js", "x")
    made = await workspaces.prepare(repo.ask(setup=WorkspaceSetup(link=("deps",))))
    assert (made.path / "deps" / "lib" / "a.js").read_text() == "x"
    assert (await made.close(remove_if_clean=True)).kept is None
    assert (repo.path / "deps" / "lib" / "a.js").read_text() == "x"


async def test_read_only_folders_are_removed(repo: GitRepo, made: GitWorkspace, root: Path) -> None:
    """Caches of some tools are read-only; a workspace with one is removed all the same."""
    repo.write("node_modules/cache/x", "x", inside=made.path)
    (made.path / "node_modules" / "cache").chmod(0o500)
    assert (await made.close(remove_if_clean=True)).kept is None
    assert debris(repo, root) == []


async def test_many_close_at_once(repo: GitRepo, workspaces: GitWorkspaces, root: Path) -> None:
    """Workspaces end while others are made, on one repo; nothing is left."""
    first = await asyncio.gather(*(workspaces.prepare(repo.ask(str(number))) for number in range(6)))
    made, _ = await asyncio.gather(
        asyncio.gather(*(workspaces.prepare(repo.ask(f"more-{number}")) for number in range(6))),
        asyncio.gather(*(each.close(remove_if_clean=True) for each in first)),
    )
    await asyncio.gather(*(each.close(remove_if_clean=True) for each in made))
    assert debris(repo, root) == []
    assert repo.git("branch", "--list", "weft/*") == ""


async def test_a_folder_that_is_gone(repo: GitRepo, made: GitWorkspace, root: Path) -> None:
    """A user who removed the folder has a branch, and no debris."""
    repo.write("a.txt", "a", inside=made.path)
    tip = (await made.commit("a", made.head)).head
    shutil.rmtree(made.path)
    closed = await made.close(remove_if_clean=True)
    assert (closed.kept, closed.saved, closed.head) == (None, (), tip)
    assert repo.git("worktree", "list").count("\n") == 0


async def test_killed_while_removing(repo: GitRepo, git: Git, root: Path, setups: Setups, made: GitWorkspace) -> None:
    """RECOVER-5: what a dead run had begun to delete is deleted by the next."""
    trash = [made.path.parent / ".trash", repo.path / ".git" / "weft-trash"]
    for folder in trash:
        repo.write("shop.1-123/file", "x", inside=folder)
    await GitWorkspaces(root, git, setups).prepare(repo.ask("2"))
    assert not any(folder.exists() for folder in trash)


async def test_the_users_checkout_is_never_touched(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """Status, HEAD, index, stash, config and files of the main checkout are the same after a job's whole life."""
    repo.write("README.md", "stashed")
    repo.git("stash", "-q")
    repo.write("README.md", "changed by the user")
    repo.write("staged.txt", "staged")
    repo.git("add", "staged.txt")
    repo.write("untracked.txt", "untracked")
    before = repo.checkout_state()
    made = await workspaces.prepare(repo.ask())
    repo.write("a.txt", "a", inside=made.path)
    done = await made.commit("a", made.head)
    repo.write("b.txt", "b", inside=made.path)
    again = await workspaces.prepare(repo.ask(head=done.head))
    await again.tidy()
    await again.close(remove_if_clean=True)
    assert repo.checkout_state() == before
