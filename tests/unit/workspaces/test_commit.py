"""What an agent left, brought onto the job's branch."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.git_repo import GitRepo

from weft.errors import WorkspaceError
from weft.model.plan import WorkspaceSetup
from weft.workspaces import GitWorkspaces
from weft.workspaces.workspace import GitWorkspace


@pytest.fixture
async def made(repo: GitRepo, workspaces: GitWorkspaces) -> GitWorkspace:
    return await workspaces.prepare(repo.ask())


def assert_in_order(repo: GitRepo, made: GitWorkspace) -> None:
    """HEAD on the branch, nothing uncommitted, nothing under way."""
    assert repo.git("symbolic-ref", "HEAD", cwd=made.path) == f"refs/heads/{made.branch}"
    assert repo.git("status", "--porcelain", cwd=made.path) == ""
    assert "You are" not in repo.git("status", cwd=made.path)


async def test_commits_all_that_was_left(repo: GitRepo, made: GitWorkspace) -> None:
    """An agent may just edit files: changed, new, deleted and renamed ones are committed by Weft."""
    repo.write("new.txt", "new", inside=made.path)
    (made.path / "README.md").rename(made.path / "READ.md")
    done = await made.commit("# a title\n\nand a body", made.head)
    assert done.changed
    assert not done.empty
    assert repo.files(done.head) == {"READ.md", "new.txt"}
    assert repo.git("log", "-1", "--format=%B", done.head).strip() == "# a title\n\nand a body"
    assert await made.tip() == done.head == repo.tip(made.branch)
    assert_in_order(repo, made)


async def test_an_agents_own_commits_count(repo: GitRepo, made: GitWorkspace) -> None:
    """`changed` is whether the tip moved; `empty` whether the tree equals the base's (RUN-20)."""
    repo.write("a.txt", "a", inside=made.path)
    tip = repo.commit("by the agent", inside=made.path)
    done = await made.commit("left", made.head)
    assert (done.head, done.changed, done.empty) == (tip, True, False)
    assert not (await made.commit("left", tip)).changed


async def test_an_empty_diff_is_empty(repo: GitRepo, made: GitWorkspace) -> None:
    """RUN-20: commits that come to nothing against the base are no change."""
    repo.commit("empty", inside=made.path)
    done = await made.commit("left", made.head)
    assert (done.changed, done.empty) == (True, True)


async def test_everything_was_deleted(repo: GitRepo, made: GitWorkspace) -> None:
    """An agent that deleted all files deleted all files."""
    (made.path / "README.md").unlink()
    done = await made.commit("gone", made.head)
    assert repo.files(done.head) == set()
    assert not done.empty


async def test_a_sparse_checkout(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """A repo whose checkout shows a part of it: new files outside that part are committed too, nothing is deleted."""
    repo.write("a/in.txt", "in")
    repo.write("b/out.txt", "out")
    repo.commit("two folders")
    repo.git("sparse-checkout", "set", "a")
    before = repo.checkout_state()
    made = await workspaces.prepare(repo.ask("2"))
    repo.write("b/new.txt", "new", inside=made.path)
    done = await made.commit("new", made.head)
    assert repo.files(done.head) == {"README.md", "a/in.txt", "b/out.txt", "b/new.txt"}
    await made.close(remove_if_clean=True)
    assert repo.checkout_state() == before


async def test_a_populated_submodule(repo: GitRepo, workspaces: GitWorkspaces, tmp_path: Path) -> None:
    """Commits in a submodule are in the worktree's own copy alone: the workspace is kept."""
    other = GitRepo(tmp_path / "lib", tmp_path / "home")
    allow = ("-c", "protocol.file.allow=always", "submodule", "--quiet")
    repo.git(*allow, "add", str(other.path), "lib")
    repo.commit("a submodule")
    made = await workspaces.prepare(repo.ask("2"))
    assert list((made.path / "lib").iterdir()) == []
    repo.git(*allow, "update", "--init", cwd=made.path)
    repo.write("new.txt", "new", inside=made.path / "lib")
    done = await made.commit("nothing outside", made.head)
    assert not done.changed
    inner = repo.commit("inside", inside=made.path / "lib")
    done = await made.commit("the submodule moved", made.head)
    assert inner in repo.git("ls-tree", done.head, "lib")
    assert (await made.close(remove_if_clean=True)).kept == made.path


async def test_odd_files(repo: GitRepo, made: GitWorkspace) -> None:
    """Names with newlines and bytes that are no UTF-8, links, modes and big files are all kept."""
    odd = os.fsdecode(b"bad-\xff\n.txt")
    repo.write(odd, "odd", inside=made.path)
    (made.path / "link").symlink_to("nowhere")
    repo.write("run.sh", "#!/bin/sh\n", inside=made.path).chmod(0o755)
    repo.write("big.bin", b"\0" * 5_000_000, inside=made.path)
    done = await made.commit("odd", made.head)
    assert {odd, "link", "run.sh", "big.bin"} <= repo.files(done.head)
    modes = repo.git("ls-tree", done.head, "link", "run.sh")
    assert "120000" in modes
    assert "100755" in modes


async def test_litter_is_not_committed(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """What `[workspace]` brought and what tools leave is not committed, nor what the user ignores; tracked files are,
    whatever their name.
    """
    repo.write(".env", "SECRET=1")
    repo.write("deps/a.js", "x")
    repo.write("node_modules/kept.js", "1")
    repo.git("add", "-f", "node_modules/kept.js")
    repo.git("commit", "-q", "-m", "tracked")
    repo.write("ignore", "*.secret\n", inside=Path(repo.environment["HOME"]) / ".config" / "git")
    setup = WorkspaceSetup(copy=(".env",), link=("deps",))
    made = await workspaces.prepare(repo.ask(setup=setup))
    for name in ("a/__pycache__/x.pyc", "y.pyc", ".pytest_cache/x", ".venv/x", "node_modules/new.js", "k.secret"):
        repo.write(name, "x", inside=made.path)
    repo.write("node_modules/kept.js", "2", inside=made.path)
    repo.write("sub/.env", "not that one", inside=made.path)
    done = await made.commit("work", made.head)
    assert repo.files(done.head) == {"README.md", "node_modules/kept.js", "sub/.env"}
    assert repo.show(done.head, "node_modules/kept.js") == "2"
    assert (await made.close(remove_if_clean=True)).kept is None
    assert (repo.path / "deps" / "a.js").read_text() == "x"


async def test_author_is_the_users_own(repo: GitRepo, made: GitWorkspace) -> None:
    """Author and committer are the user's from git's configuration, read anew when it changes; else Weft."""
    repo.write("a.txt", "a", inside=made.path)
    first = await made.commit("a", made.head)
    repo.git("config", "user.name", "Grace")
    repo.git("config", "user.email", "grace@example.org")
    repo.write("a.txt", "b", inside=made.path)
    second = await made.commit("b", first.head)
    shown = [repo.git("log", "-1", "--format=%an <%ae> %cn <%ce>", each.head) for each in (first, second)]
    assert shown[0] == "Weft <weft@localhost> Weft <weft@localhost>"
    assert shown[1] == "Grace <grace@example.org> Grace <grace@example.org>"


async def test_detached_head(repo: GitRepo, made: GitWorkspace) -> None:
    """Commits made on a detached HEAD end on the branch."""
    repo.git("switch", "-q", "--detach", cwd=made.path)
    repo.write("a.txt", "a", inside=made.path)
    tip = repo.commit("beside", inside=made.path)
    repo.write("b.txt", "b", inside=made.path)
    done = await made.commit("left", made.head)
    assert repo.files(done.head) == {"README.md", "a.txt", "b.txt"}
    assert repo.tip(f"{done.head}^") == tip
    assert_in_order(repo, made)


async def test_a_branch_of_the_agents_own(repo: GitRepo, made: GitWorkspace) -> None:
    """Work on a branch that the agent made is merged with what is on the job's own; the agent's branch stays."""
    repo.write("ours.txt", "ours", inside=made.path)
    repo.commit("ours", inside=made.path)
    repo.git("switch", "-q", "-c", "fix", "main", cwd=made.path)
    repo.write("theirs.txt", "theirs", inside=made.path)
    done = await made.commit("left", made.head)
    assert repo.files(done.head) == {"README.md", "ours.txt", "theirs.txt"}
    assert repo.exists("fix")
    assert_in_order(repo, made)


async def test_a_branch_that_conflicts_is_saved(repo: GitRepo, made: GitWorkspace) -> None:
    """Where both cannot be had, the work beside the branch is on a ref that the error names, and both are there."""
    repo.write("same.txt", "ours", inside=made.path)
    tip = repo.commit("ours", inside=made.path)
    repo.git("switch", "-q", "-c", "fix", "main", cwd=made.path)
    repo.write("same.txt", "theirs", inside=made.path)
    with pytest.raises(WorkspaceError, match=r"conflict in `same.txt`") as raised:
        await made.commit("left", made.head)
    assert repo.tip(made.branch) == tip
    (ref,) = repo.saved()
    assert ref in str(raised.value)
    assert repo.show(ref, "same.txt") == "theirs"


async def test_looking_at_an_old_commit(repo: GitRepo, made: GitWorkspace) -> None:
    """An agent that ends while it looks at an old commit has its work on the branch still."""
    repo.write("a.txt", "a", inside=made.path)
    tip = repo.commit("a", inside=made.path)
    repo.git("switch", "-q", "--detach", "main", cwd=made.path)
    assert (await made.commit("left", made.head)).head == tip
    assert_in_order(repo, made)


async def test_in_the_middle_of_a_merge(repo: GitRepo, made: GitWorkspace) -> None:
    """A merge with conflicts is concluded with the files as they are: both sides stay, gates judge the result."""
    theirs = repo.branch("theirs", {"same.txt": "theirs\n"})
    repo.write("same.txt", "ours\n", inside=made.path)
    ours = repo.commit("ours", inside=made.path)
    repo.git("merge", "theirs", cwd=made.path, check=False)
    done = await made.commit("left", made.head)
    assert repo.git("log", "-1", "--format=%P", done.head).split() == [ours, theirs]
    assert "<<<<<<<" in repo.show(done.head, "same.txt")
    assert_in_order(repo, made)


async def test_in_the_middle_of_a_cherry_pick(repo: GitRepo, made: GitWorkspace) -> None:
    """The same for a cherry-pick, one of several."""
    repo.branch("theirs", {"same.txt": "theirs\n"})
    repo.write("same.txt", "ours\n", inside=made.path)
    repo.commit("ours", inside=made.path)
    repo.git("cherry-pick", "theirs", "main", cwd=made.path, check=False)
    await made.commit("left", made.head)
    assert_in_order(repo, made)


async def test_in_the_middle_of_a_rebase(repo: GitRepo, made: GitWorkspace) -> None:
    """A rebase that was not finished is as if never begun; what was in its middle is saved."""
    repo.branch("theirs", {"same.txt": "theirs\n"})
    repo.write("same.txt", "ours\n", inside=made.path)
    tip = repo.commit("ours", inside=made.path)
    repo.git("rebase", "theirs", cwd=made.path, check=False)
    repo.write("same.txt", "resolved\n", inside=made.path)
    done = await made.commit("left", made.head)
    assert done.head == tip == repo.tip(made.branch)
    assert [repo.show(ref, "same.txt") for ref in repo.saved()] == ["resolved"]
    assert_in_order(repo, made)


async def test_an_orphan_branch(repo: GitRepo, made: GitWorkspace) -> None:
    """HEAD on a branch without commits: the files end on the job's branch."""
    repo.git("switch", "-q", "--orphan", "fresh", cwd=made.path)
    repo.write("a.txt", "a", inside=made.path)
    done = await made.commit("left", made.head)
    assert "a.txt" in repo.files(done.head)
    assert_in_order(repo, made)


async def test_the_branch_was_deleted_or_renamed(repo: GitRepo, made: GitWorkspace) -> None:
    """An agent that renamed the job's branch has its work on it again."""
    repo.write("a.txt", "a", inside=made.path)
    tip = repo.commit("a", inside=made.path)
    repo.git("branch", "-m", "better-name", cwd=made.path)
    assert (await made.commit("left", made.head)).head == tip == repo.tip(made.branch)
    assert_in_order(repo, made)


async def test_dot_git_was_removed(repo: GitRepo, made: GitWorkspace, tmp_path: Path) -> None:
    """Without its `.git` file a folder belongs to whatever repo lies around it; Weft commits to the job's own."""
    around = GitRepo(tmp_path, tmp_path / "home")
    before = around.tip("HEAD")
    (made.path / ".git").unlink()
    repo.write("a.txt", "a", inside=made.path)
    done = await made.commit("left", made.head)
    assert "a.txt" in repo.files(done.head)
    assert around.tip("HEAD") == before
    assert_in_order(repo, made)


async def test_dot_git_was_replaced(repo: GitRepo, made: GitWorkspace) -> None:
    """An agent that ran `git init` over the worktree: its repo is put beside, the files are on the branch."""
    (made.path / ".git").unlink()
    repo.git("init", "-q", cwd=made.path)
    repo.write("a.txt", "a", inside=made.path)
    assert "a.txt" in repo.files((await made.commit("left", made.head)).head)
    assert list(made.path.parent.glob("shop.1.git-*/HEAD"))
    assert_in_order(repo, made)


async def test_nested_repos_stay_where_they_are(repo: GitRepo, made: GitWorkspace) -> None:
    """Git would note a nested repo's commit and lose its content: it is neither committed nor removed."""
    for name in ("clone", "empty"):
        GitRepo(made.path / name, Path(repo.environment["HOME"]), commit=name == "clone")
    repo.write("a.txt", "a", inside=made.path)
    done = await made.commit("left", made.head)
    assert repo.files(done.head) == {"README.md", "a.txt"}
    closed = await made.close(remove_if_clean=True)
    assert closed.kept == made.path
    assert (made.path / "clone" / "README.md").exists()


async def test_locks_left_by_the_agents_git(repo: GitRepo, made: GitWorkspace) -> None:
    """RECOVER-5: an agent killed inside git leaves `index.lock`; its work is committed all the same."""
    (repo.path / ".git" / "worktrees" / "shop.1" / "index.lock").write_text("")
    repo.write("a.txt", "a", inside=made.path)
    assert (await made.commit("left", made.head)).changed


async def test_a_folder_that_is_gone(made: GitWorkspace) -> None:
    """A workspace that was removed under the session is told as such."""
    shutil.rmtree(made.path)
    with pytest.raises(WorkspaceError, match="is gone"):
        await made.commit("left", made.head)


async def test_tidy(repo: GitRepo, made: GitWorkspace) -> None:
    """Gates' litter goes, tracked files are as in the tip, ignored ones stay."""
    repo.write("README.md", "changed by a formatter", inside=made.path)
    repo.write("coverage.xml", "x", inside=made.path)
    repo.write("__pycache__/a.pyc", "x", inside=made.path)
    await made.tidy()
    assert (made.path / "README.md").read_text() == "hello\n"
    assert not (made.path / "coverage.xml").exists()
    assert (made.path / "__pycache__" / "a.pyc").exists()


async def test_restore(repo: GitRepo, made: GitWorkspace) -> None:
    """Back to a commit within a run: what is beyond it is on refs."""
    repo.write("a.txt", "a", inside=made.path)
    tip = repo.commit("a", inside=made.path)
    repo.write("b.txt", "b", inside=made.path)
    saved = await made.restore(made.head)
    assert tip in {repo.tip(ref) for ref in saved}
    assert "b.txt" in set().union(*(repo.files(ref) for ref in saved))
    assert repo.tip(made.branch) == made.head
    assert_in_order(repo, made)


async def test_changes(repo: GitRepo, made: GitWorkspace) -> None:
    """What the branch changed against its base, for prompts."""
    assert await made.changes() == ""
    repo.write("a.txt", "a\n", inside=made.path)
    await made.commit("a", made.head)
    assert "a.txt | 1 +" in await made.changes()
