"""What an earlier run, a crash or a person left where a workspace is to be."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

import pytest
from tests.git_repo import GitRepo
from tests.unit.workspaces.conftest import Counted, Setups

from weft.errors import WorkspaceError
from weft.model.plan import WorkspaceSetup
from weft.workspaces import Git, GitWorkspaces
from weft.workspaces.worktree import Worktree, linked


def worktree_of(repo: GitRepo, path: Path) -> Worktree:
    found = linked(path, repo.path / ".git")
    assert found is not None
    return found


async def test_a_clean_one_is_reused(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """RUN-6: a clean worktree of this job with nothing beyond the base is reused, ignored files and all."""
    first = await workspaces.prepare(repo.ask())
    repo.write("node_modules/a.js", "x", inside=first.path)
    again = await workspaces.prepare(repo.ask(run="r-2"))
    assert again.path == first.path
    assert (again.path / "node_modules" / "a.js").exists()
    assert again.saved == ()


async def test_a_clean_one_follows_the_base(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """RUN-6: one that is reused starts where the base is now."""
    await workspaces.prepare(repo.ask())
    repo.write("later.txt", "later")
    tip = repo.commit("main goes on")
    again = await workspaces.prepare(repo.ask(run="r-2"))
    assert (again.head, again.base, repo.tip("weft/1-x")) == (tip, tip, tip)
    assert (again.path / "later.txt").exists()
    assert again.saved == ()


async def test_work_of_an_earlier_run_is_saved_and_remade(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """Principle 2, RUN-6: commits and uncommitted files of an earlier run end on refs before the branch starts anew."""
    first = await workspaces.prepare(repo.ask())
    repo.write("done.txt", "done", inside=first.path)
    done = repo.commit("done", inside=first.path)
    repo.write("half.txt", "half", inside=first.path)
    again = await workspaces.prepare(repo.ask(run="r-2"))
    assert again.head == repo.tip("main") == repo.tip("weft/1-x")
    assert sorted(again.saved) == repo.saved()
    assert len(again.saved) == 2
    assert done in {repo.tip(ref) for ref in again.saved}
    assert {"done.txt", "half.txt"} <= set().union(*(repo.files(ref) for ref in again.saved))
    assert sorted(entry.name for entry in again.path.iterdir()) == [".git", "README.md"]


async def test_a_branch_without_a_worktree_is_saved(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """Principle 2: commits on a branch left by an earlier run are on a saved ref before it is moved."""
    tip = repo.branch("weft/1-x", {"a.txt": "a"})
    made = await workspaces.prepare(repo.ask())
    assert [repo.tip(ref) for ref in made.saved] == [tip]
    assert repo.tip("weft/1-x") == repo.tip("main")


async def test_back_to_a_commit(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """RECOVER-3: in the middle of a session Weft died: commits after `head`, staged, changed and untracked files are
    saved, and the phase starts clean from `head` with what is ignored still there.
    """
    first = await workspaces.prepare(repo.ask())
    repo.write("spec.md", "spec", inside=first.path)
    head = (await first.commit("spec", first.head)).head
    repo.write("beyond.txt", "beyond", inside=first.path)
    beyond = repo.commit("beyond", inside=first.path)
    repo.write("staged.txt", "staged", inside=first.path)
    repo.git("add", "staged.txt", cwd=first.path)
    repo.write("staged.txt", "staged, then changed", inside=first.path)
    repo.write("README.md", "changed", inside=first.path)
    repo.write("new/file.txt", "new", inside=first.path)
    repo.write("__pycache__/a.pyc", "x", inside=first.path)
    again = await workspaces.prepare(repo.ask(head=head))
    assert (again.head, again.base, repo.tip("weft/1-x")) == (head, first.base, head)
    assert (
        repo.git("status", "--porcelain", "--ignored", cwd=again.path) == "!! __pycache__/"
        or (again.path / "__pycache__" / "a.pyc").exists()
    )
    assert not (again.path / "new").exists()
    work = next(ref for ref in again.saved if repo.tip(ref) != beyond)
    assert repo.show(work, "README.md") == "changed"
    assert repo.show(work, "new/file.txt") == "new"
    assert repo.show(work, "staged.txt") == "staged, then changed"
    assert repo.show(f"{work}^2", "staged.txt") == "staged"
    assert repo.tip(f"{work}^1") == beyond


async def test_back_to_a_commit_that_is_gone(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """RECOVER-2: git is the truth: a commit that the journal names and git has not is an error."""
    with pytest.raises(WorkspaceError, match="is gone"):
        await workspaces.prepare(repo.ask(head="1" * 40))


async def test_back_with_nothing_left(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """RECOVER-3: with folder and branch gone, a commit that git still has is enough to go on."""
    first = await workspaces.prepare(repo.ask())
    repo.write("a.txt", "a", inside=first.path)
    head = (await first.commit("a", first.head)).head
    shutil.rmtree(first.path)
    again = await workspaces.prepare(repo.ask(head=head))
    assert (again.path / "a.txt").read_text() == "a"
    assert again.base == repo.tip("main")


async def test_a_change_that_looks_like_none_is_saved(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """Principle 2: a file of the same size and time as the staged one is looked into, as git itself would."""
    repo.git("config", "core.trustctime", "false")
    made = await workspaces.prepare(repo.ask())
    file = made.path / "a.txt"
    index = Path(repo.git("rev-parse", "--path-format=absolute", "--git-path", "index", cwd=made.path))
    for text in ("a", "b"):
        file.write_text(text)
        os.utime(file, (1_700_000_000, 1_700_000_000))
        if text == "a":
            repo.git("add", "a.txt", cwd=made.path)
            os.utime(index, (1_700_000_000, 1_700_000_000))
    (saved,) = (await made.close(remove_if_clean=True)).saved
    assert repo.git("show", f"{saved}:a.txt") == "b"


async def test_saving_twice_makes_one_ref(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """Principle 2: a crash right after saving, then saving again: still one ref for the same work."""
    made = await workspaces.prepare(repo.ask())
    repo.write("a.txt", "a", inside=made.path)
    repo.git("add", "a.txt", cwd=made.path)
    repo.write("a.txt", "b", inside=made.path)
    first = await made.close(remove_if_clean=True)
    second = await made.close(remove_if_clean=True)
    assert first.saved == second.saved
    assert len(repo.saved()) == 1


async def test_someone_elses_worktree_is_not_touched(repo: GitRepo, workspaces: GitWorkspaces, root: Path) -> None:
    """RECOVER-4: a worktree at the job's path without the job's mark stays as it is."""
    path = (await workspaces.prepare(repo.ask())).path
    (worktree_of(repo, path).admin / "weft.json").unlink()
    repo.write("precious.txt", "mine", inside=path)
    with pytest.raises(WorkspaceError, match="not shop#1's") as raised:
        await workspaces.prepare(repo.ask())
    assert raised.value.hint
    assert (path / "precious.txt").read_text() == "mine"
    assert repo.saved() == []


async def test_a_folder_in_the_way_is_not_touched(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """Principle 2: a folder at the job's path that is no worktree stays as it is."""
    path = (await workspaces.prepare(repo.ask())).path
    repo.git("worktree", "remove", str(path))
    repo.write("precious.txt", "mine", inside=path)
    with pytest.raises(WorkspaceError, match="in the way"):
        await workspaces.prepare(repo.ask())
    assert (path / "precious.txt").read_text() == "mine"


async def test_a_branch_the_user_has_checked_out(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """The user's checkout is never touched: a job whose branch is checked out there fails with a hint."""
    repo.git("switch", "-q", "-c", "weft/1-x")
    repo.write("half.txt", "half")
    before = repo.checkout_state()
    with pytest.raises(WorkspaceError, match="is checked out in") as raised:
        await workspaces.prepare(repo.ask())
    assert "switch" in str(raised.value.hint)
    assert repo.checkout_state() == before


async def test_a_branch_checked_out_in_another_worktree(
    repo: GitRepo, workspaces: GitWorkspaces, tmp_path: Path
) -> None:
    """The same for a worktree that the user made."""
    repo.git("worktree", "add", "-q", "-b", "weft/1-x", str(tmp_path / "mine"))
    with pytest.raises(WorkspaceError, match=str(tmp_path / "mine")):
        await workspaces.prepare(repo.ask())


async def test_a_removed_folder_is_made_again(repo: GitRepo, workspaces: GitWorkspaces, tmp_path: Path) -> None:
    """A user's `rm -rf` of a workspace is mended for that one: other entries whose folder is away stay."""
    repo.git("worktree", "add", "-q", "-b", "mine", str(tmp_path / "mine"))
    shutil.move(tmp_path / "mine", tmp_path / "unplugged")
    first = await workspaces.prepare(repo.ask())
    shutil.rmtree(first.path)
    again = await workspaces.prepare(repo.ask())
    assert (again.path / "README.md").exists()
    assert str(tmp_path / "mine") in repo.git("worktree", "list")


@pytest.mark.parametrize("damage", ["no gitdir", "empty commondir", "no HEAD", "locked", "no folder", "no index"])
async def test_half_made_by_a_kill(
    repo: GitRepo, git: Git, root: Path, setups: Setups, counted: Counted, damage: str
) -> None:
    """RECOVER-5: a kill -9 inside `git worktree add` leaves halves that break git; they are mended, nothing is saved,
    since no session was ever in there.
    """
    await _killed_while_making(repo, git, root, setups, counted)
    admin = repo.path / ".git" / "worktrees" / "shop.1"
    path = next(root.glob("shop-*")) / "shop.1"
    if damage == "no gitdir":
        (admin / "gitdir").unlink()
    elif damage == "empty commondir":
        (admin / "commondir").write_bytes(b"")
    elif damage == "no HEAD":
        (admin / "HEAD").unlink()
    elif damage == "locked":
        (admin / "locked").write_text("initializing")
        (admin / "index.lock").write_text("")
        (admin / "HEAD.lock").write_text("")
    elif damage == "no folder":
        shutil.rmtree(path)
    elif damage == "no index":
        repo.write("README.md", "hel", inside=path)
    made = await GitWorkspaces(root, git, setups).prepare(repo.ask())
    assert repo.git("status", "--porcelain", cwd=made.path) == ""
    assert (made.path / "README.md").read_text() == "hello\n"
    assert made.saved == ()
    assert repo.git("worktree", "list").count("\n") == 1


async def _killed_while_making(repo: GitRepo, git: Git, root: Path, setups: Setups, counted: Counted) -> None:
    """Stop between `worktree add` and the writing of files, as a kill would: nothing is cleaned up."""

    class Killed(BaseException):
        pass

    async def die(argv: tuple[str, ...], **more: object) -> object:
        if "reset" in argv:
            raise Killed
        return await counted(argv, **more)  # type: ignore[arg-type]

    with pytest.raises(Killed):
        await GitWorkspaces(root, Git(repo.environment, run=die), setups).prepare(repo.ask())  # type: ignore[arg-type]


async def test_killed_before_the_worktree(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """RECOVER-5: a kill that left the branch alone, with its lock file, is made good."""
    repo.git("branch", "weft/1-x")
    (repo.path / ".git" / "refs" / "heads" / "weft" / "1-x.lock").write_text("")
    made = await workspaces.prepare(repo.ask())
    assert made.head == repo.tip("main")


async def test_locks_of_the_dead_are_cleared(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """RECOVER-5: lock files that git left in the job's worktree and on its refs go; those of others stay."""
    made = await workspaces.prepare(repo.ask())
    other = await workspaces.prepare(repo.ask("2"))
    repo.write("a.txt", "a", inside=made.path)
    ours, theirs = worktree_of(repo, made.path).admin, worktree_of(repo, other.path).admin
    saved = repo.path / ".git" / "refs" / "weft" / "saved"
    for lock in (ours / "index.lock", ours / "HEAD.lock", theirs / "index.lock"):
        lock.write_text("")
    for name in ("shop.1", "shop.2"):
        (saved / name).mkdir(parents=True)
        (saved / name / "x.lock").write_text("")
    again = await workspaces.prepare(repo.ask(head=made.head))
    assert len(again.saved) == 1
    assert not list(ours.glob("*.lock"))
    assert not (saved / "shop.1" / "x.lock").exists()
    assert (theirs / "index.lock").exists()
    assert (saved / "shop.2" / "x.lock").exists()


async def test_a_damaged_index(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """Principle 2: with an index that git cannot read, all files are saved all the same."""
    made = await workspaces.prepare(repo.ask())
    repo.write("a.txt", "a", inside=made.path)
    (worktree_of(repo, made.path).admin / "index").write_bytes(b"rubbish")
    again = await workspaces.prepare(repo.ask(head=made.head))
    assert repo.files(again.saved[0]) == {"README.md", "a.txt"}
    assert repo.git("status", "--porcelain", cwd=again.path) == ""


async def test_set_up_is_not_repeated(repo: GitRepo, workspaces: GitWorkspaces, setups: Setups) -> None:
    """RUN-6: the set-up command runs once per workspace, again only if it did not finish."""
    ask = repo.ask(setup=WorkspaceSetup(setup="make ready"))
    setups.answer = (1, "it broke")
    with pytest.raises(WorkspaceError, match="it broke"):
        await workspaces.prepare(ask)
    setups.answer = (0, "")
    made = await workspaces.prepare(ask)
    await workspaces.prepare(ask)
    assert setups.calls == [("make ready", made.path, "shop.1.setup")] * 2


async def test_many_jobs_back_at_once(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """RECOVER-3: after a crash several workspaces are brought back at a time."""
    made = [await workspaces.prepare(repo.ask(str(number))) for number in range(6)]
    for each in made:
        repo.write("half.txt", each.branch, inside=each.path)
    again = await asyncio.gather(
        *(workspaces.prepare(repo.ask(str(number), head=each.head)) for number, each in enumerate(made))
    )
    assert [repo.show(each.saved[0], "half.txt") for each in again] == [each.branch for each in made]
