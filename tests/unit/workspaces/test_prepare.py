"""Making a workspace."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.git_repo import GitRepo, git_environment
from tests.unit.workspaces.conftest import Counted, Setups

from weft.errors import DefectError, WorkspaceError
from weft.model.plan import Repo
from weft.workspaces import Git, GitWorkspaces
from weft.workspaces.workspace import GitWorkspace


async def test_makes_a_branch_and_a_worktree_outside_the_repo(
    repo: GitRepo, workspaces: GitWorkspaces, root: Path
) -> None:
    """RUN-6: a worktree on a branch of its own, at the base, outside the repo; the user's checkout is untouched."""
    repo.write("notes.txt", "mine")
    before = repo.checkout_state()
    made = await workspaces.prepare(repo.ask())
    assert made.path.is_relative_to(root)
    assert not made.path.is_relative_to(repo.path)
    assert (made.path / "README.md").read_text() == "hello\n"
    assert repo.git("symbolic-ref", "HEAD", cwd=made.path) == "refs/heads/weft/1-x"
    assert repo.git("status", "--porcelain", cwd=made.path) == ""
    assert made.base == made.head == repo.tip("main") == repo.tip("weft/1-x")
    assert made.saved == ()
    assert repo.checkout_state() == before


async def test_sixteen_at_once(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """RUN-6: many at a time on one repo all succeed, with a remote branch as base, and the config is not written."""
    repo.git("remote", "add", "origin", ".")
    repo.git("fetch", "-q", "origin")
    repo.git("config", "branch.autoSetupMerge", "always")
    before = repo.checkout_state()
    made = await asyncio.gather(
        *(workspaces.prepare(repo.ask(str(number), base="origin/main")) for number in range(16))
    )
    assert len({each.path for each in made}) == 16
    assert all((each.path / "README.md").exists() for each in made)
    assert repo.checkout_state() == before


async def test_two_weft_processes_at_once(repo: GitRepo, git: Git, root: Path, setups: Setups) -> None:
    """RUN-6: several Weft processes may make workspaces of one repo at the same time; the lock file has them take
    turns (two objects share nothing but the file).
    """
    both = [GitWorkspaces(root, git, setups), GitWorkspaces(root, git, setups)]
    made = await asyncio.gather(*(both[number % 2].prepare(repo.ask(str(number))) for number in range(8)))
    assert len({each.path for each in made}) == 8


async def test_takes_few_git_processes(repo: GitRepo, workspaces: GitWorkspaces, counted: Counted) -> None:
    """PERF-4: three git processes make a workspace, two or four end a session, one closes it."""
    await workspaces.prepare(repo.ask("first"))
    counted.commands.clear()
    made = await workspaces.prepare(repo.ask())
    assert len(counted.commands) == 3
    counted.commands.clear()
    await made.commit("nothing", made.head)
    assert len(counted.commands) == 2
    repo.write("a.txt", "a", inside=made.path)
    counted.commands.clear()
    await made.commit("something", made.head)
    assert len(counted.commands) == 4
    counted.commands.clear()
    await made.close(remove_if_clean=True)
    assert len(counted.commands) == 1


def test_only_prepare_makes_one() -> None:
    """A session needs a Workspace, and there is none without a successful `prepare`."""
    with pytest.raises(DefectError):
        GitWorkspace(object(), None)  # type: ignore[arg-type]


async def test_starts_from_merged_branches(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """A job that builds on others starts at the base with their branches merged in, and is measured against that."""
    repo.branch("weft/a", {"a.txt": "a"})
    repo.branch("weft/b", {"b.txt": "b"})
    repo.write("later.txt", "later")
    repo.commit("main goes on")
    made = await workspaces.prepare(repo.ask(starts_from=("weft/a", "weft/b")))
    assert repo.files("weft/1-x") == {"README.md", "a.txt", "b.txt", "later.txt"}
    assert made.base == made.head == repo.tip("weft/1-x")
    assert (await made.commit("nothing", made.head)).empty


async def test_the_same_start_is_the_same_commit(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """RECOVER-3: merging the same branches again after a crash gives the same commit, so nothing looks changed."""
    repo.branch("weft/a", {"a.txt": "a"})
    repo.branch("weft/b", {"b.txt": "b"})
    asks = [repo.ask(ident, starts_from=("weft/a", "weft/b")) for ident in ("1", "2")]
    first, second = [await workspaces.prepare(ask) for ask in asks]
    assert first.base == second.base


async def test_conflicting_starts_are_named(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """RUN-6: branches that cannot be merged fail the job, naming both and the files."""
    repo.branch("weft/a", {"same.txt": "a"})
    repo.branch("weft/b", {"same.txt": "b"})
    with pytest.raises(WorkspaceError, match=r"`weft/a` and `weft/b` conflict in `same.txt`"):
        await workspaces.prepare(repo.ask(starts_from=("weft/a", "weft/b")))
    assert not repo.exists("weft/1-x")


async def test_a_missing_start_is_named(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """A branch to build on that is gone fails the job with its name."""
    with pytest.raises(WorkspaceError, match="`weft/gone`"):
        await workspaces.prepare(repo.ask(starts_from=("weft/gone",)))


async def test_a_chain_starts_exactly_at_the_one_before(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """RUN-5: in a chain a branch starts at the tip of the one before, whatever the base did since."""
    tip = repo.branch("weft/0-x", {"a.txt": "a"})
    repo.write("later.txt", "later")
    repo.commit("main goes on")
    made = await workspaces.prepare(repo.ask(starts_from=("weft/0-x",), onto_base=False))
    assert made.head == made.base == tip


async def test_continues_the_branch(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """RUN-7: with leading phases cut off a job goes on from its branch as it is, measured against the base."""
    tip = repo.branch("weft/1-x", {"a.txt": "a"})
    made = await workspaces.prepare(repo.ask(continue_branch=True))
    assert (made.head, made.base) == (tip, repo.tip("main"))
    assert made.saved == ()


async def test_a_branch_wins_over_a_tag_of_its_name(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """`base = "main"` is the branch, also where a tag has that name."""
    repo.git("tag", "main")
    repo.write("later.txt", "later")
    tip = repo.commit("main goes on")
    made = await workspaces.prepare(repo.ask())
    assert made.head == tip


@pytest.mark.parametrize("name", ["a shop", "schäft", 'shop\'s "best"', "-shop"])
async def test_awkward_paths(tmp_path: Path, git: Git, setups: Setups, name: str) -> None:
    """Paths with spaces, quotes and other letters than ASCII work, of the repo and of the workspaces."""
    repo = GitRepo(tmp_path / "in" / name, tmp_path / "home")
    workspaces = GitWorkspaces(tmp_path / f"work {name}", git, setups)
    made = await workspaces.prepare(repo.ask())
    repo.write("ü\n1.txt", "x", inside=made.path)
    assert (await made.commit("odd name", made.head)).changed
    assert "ü\n1.txt" in repo.files("weft/1-x")
    assert (await made.close(remove_if_clean=True)).kept is None


async def test_a_shallow_clone(repo: GitRepo, tmp_path: Path, workspaces: GitWorkspaces) -> None:
    """A clone without history is as good as any."""
    repo.commit("second")
    repo.git("clone", "-q", "--depth=1", repo.path.as_uri(), str(tmp_path / "shallow"))
    clone = GitRepo(tmp_path / "shallow", tmp_path / "home", commit=False)
    made = await workspaces.prepare(clone.ask(base="origin/main"))
    assert made.head == repo.tip("main")


async def test_an_unknown_base(repo: GitRepo, workspaces: GitWorkspaces) -> None:
    """Principle 5: an unknown base is named, and nothing is made."""
    with pytest.raises(WorkspaceError, match="base `nowhere`"):
        await workspaces.prepare(repo.ask(base="nowhere"))
    assert not repo.exists("weft/1-x")


async def test_a_repo_without_commits(tmp_path: Path, workspaces: GitWorkspaces) -> None:
    """A repo whose first commit is still to come has nothing to start from."""
    repo = GitRepo(tmp_path / "empty", tmp_path / "home", commit=False)
    with pytest.raises(WorkspaceError, match="base `main` is not a commit"):
        await workspaces.prepare(repo.ask())


async def test_a_folder_that_is_no_repo(tmp_path: Path, workspaces: GitWorkspaces, repo: GitRepo) -> None:
    """A folder without git is named as such, and one that is not there too."""
    for path in (tmp_path / "home", tmp_path / "gone"):
        with pytest.raises(WorkspaceError, match=str(path)):
            await workspaces.prepare(replace(repo.ask(), repo=Repo("x", str(path))))


async def test_a_bare_repo(tmp_path: Path, workspaces: GitWorkspaces, repo: GitRepo) -> None:
    """A bare repo has no checkout to copy settings and files from."""
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    with pytest.raises(WorkspaceError, match="bare"):
        await workspaces.prepare(replace(repo.ask(), repo=Repo("b", str(tmp_path / "bare"))))


async def test_asked_again_after_the_repo_was_mended(repo: GitRepo, workspaces: GitWorkspaces, tmp_path: Path) -> None:
    """A failure to look at a repo is not remembered."""
    aside = shutil.move(repo.path, tmp_path / "aside")
    with pytest.raises(WorkspaceError):
        await workspaces.prepare(repo.ask())
    shutil.move(aside, repo.path)
    assert (await workspaces.prepare(repo.ask())).path.exists()


async def test_a_full_disk_is_told_before_anything_is_made(repo: GitRepo, git: Git, root: Path, setups: Setups) -> None:
    """RECOVER-6: too little room is an error with a hint, and nothing is made."""
    workspaces = GitWorkspaces(root, git, setups, min_free=2**62)
    with pytest.raises(WorkspaceError, match="MB are free"):
        await workspaces.prepare(repo.ask())
    assert not repo.exists("weft/1-x")


async def test_started_inside_a_hook(repo: GitRepo, root: Path, setups: Setups, tmp_path: Path) -> None:
    """Variables such as GIT_DIR, which git sets for its hooks, do not lead Weft to another repo."""
    environment = {**git_environment(tmp_path / "home"), "GIT_DIR": "/nowhere", "GIT_INDEX_FILE": "/nowhere/index"}
    workspaces = GitWorkspaces(root, Git(environment), setups)
    assert (await workspaces.prepare(repo.ask())).head == repo.tip("main")
