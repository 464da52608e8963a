"""Facts about a repo."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.git_repo import GitRepo

from weft.errors import UsageError
from weft.workspaces import Git, GitWorkspaces, Repository, find_repo


@pytest.fixture
async def repository(repo: GitRepo, git: Git) -> Repository:
    return Repository(git, await find_repo(git, repo.path))


async def test_found_from_anywhere_in_it(repo: GitRepo, git: Git, tmp_path: Path) -> None:
    """The main checkout is found from a folder in it and from one of its worktrees."""
    folder = repo.write("a/b/c.txt", "c").parent
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    for path in (repo.path, folder, tmp_path / "linked"):
        facts = await find_repo(git, path)
        assert (facts.root, facts.name, facts.common_dir) == (repo.path, "shop", repo.path / ".git")


async def test_found_with_its_git_dir_elsewhere(repo: GitRepo, git: Git, tmp_path: Path) -> None:
    """A submodule keeps its git folder in the repo around it."""
    outer = GitRepo(tmp_path / "outer", tmp_path / "home")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repo.path), "inner")
    facts = await find_repo(git, outer.path / "inner")
    assert (facts.root, facts.name) == (outer.path / "inner", "inner")
    linked = tmp_path / "linked"
    outer.git("worktree", "add", "-q", str(linked), cwd=outer.path / "inner")
    assert (await find_repo(git, linked)).root == outer.path / "inner"


@pytest.mark.parametrize("where", ["home", "gone"])
async def test_no_repo(git: Git, tmp_path: Path, where: str) -> None:
    """Principle 5: exit 2, and the folder is named."""
    with pytest.raises(UsageError, match=where):
        await find_repo(git, tmp_path / where)


async def test_default_base(repo: GitRepo, repository: Repository, git: Git, tmp_path: Path) -> None:
    """The remote's default branch, else the current one, else the commit."""
    assert await repository.default_base() == "refs/heads/main"
    tip = repo.tip("HEAD")
    repo.git("switch", "-q", "--detach")
    assert await repository.default_base() == tip
    repo.git("switch", "-q", "main")
    repo.git("clone", "-q", str(repo.path), str(tmp_path / "clone"))
    repo.git("switch", "-q", "-c", "feature", cwd=tmp_path / "clone")
    clone = Repository(git, await find_repo(git, tmp_path / "clone"))
    assert await clone.default_base() == "refs/remotes/origin/main"
    assert await clone.remotes() == ["origin"]


async def test_branches(repo: GitRepo, repository: Repository) -> None:
    """Whether a branch exists, where it stands, whether it is merged."""
    tip = repo.branch("weft/1-x", {"a.txt": "a"})
    assert await repository.resolve("weft/1-x") == await repository.branch_tip("weft/1-x") == tip
    assert await repository.branch_exists("weft/1-x")
    assert not await repository.branch_exists("weft/2-x")
    assert await repository.branch_tips(["weft/1-x", "weft/2-x"]) == {"weft/1-x": tip}
    assert not await repository.is_merged("weft/1-x", "main")
    assert not await repository.is_merged("weft/2-x", "main")
    repo.git("merge", "-q", "weft/1-x")
    assert await repository.is_merged("weft/1-x", "main")


@pytest.mark.parametrize("ref", ["nowhere", "", "a\nb", "HEAD:README.md", "--all"])
async def test_what_is_no_commit(repository: Repository, ref: str) -> None:
    """A name that is no commit is None, whatever it looks like."""
    assert await repository.resolve(ref) is None


async def test_a_branch_named_as_the_prefix(repo: GitRepo, repository: Repository) -> None:
    """RUN-6: a branch named `weft` makes `weft/…` impossible: exit 2, with the hint `branch_prefix`."""
    await repository.check_branch_prefix("weft/")
    repo.git("branch", "weft")
    with pytest.raises(UsageError, match="branch `weft`") as raised:
        await repository.check_branch_prefix("weft/")
    assert "branch_prefix" in str(raised.value.hint)
    with pytest.raises(UsageError, match="branch `weft`"):
        await repository.check_branch_prefix("weft/deep/")
    await repository.check_branch_prefix("weft-")


@pytest.mark.parametrize("prefix", ["/", "a..b/", "a b/", "-x/", "x.lock/", "~", "a//"])
async def test_prefixes_that_make_no_branch(repository: Repository, prefix: str) -> None:
    """RUN-6: what git allows no branch to be named is exit 2."""
    with pytest.raises(UsageError, match="branch_prefix"):
        await repository.check_branch_prefix(prefix)


async def test_branches_below_a_branch(repo: GitRepo, repository: Repository) -> None:
    """The reverse: a branch below the job's own name makes that impossible."""
    await repository.check_branch("weft/1-x")
    repo.git("branch", "weft/1-x/old")
    with pytest.raises(UsageError, match="`weft/1-x/old`"):
        await repository.check_branch("weft/1-x")


async def test_exclude_is_added_once(repo: GitRepo, repository: Repository) -> None:
    """What Weft writes in a repo goes to `.git/info/exclude`, once, and other lines stay."""
    file = repo.path / ".git" / "info" / "exclude"
    file.write_text("mine")
    repository.add_exclude(".weft/")
    repository.add_exclude(".weft/")
    assert file.read_text() == "mine\n.weft/\n"


async def test_diff(repo: GitRepo, repository: Repository) -> None:
    """What a branch changed since it left the base, not what the base changed since."""
    repo.branch("weft/1-x", {"a.txt": "a\n"})
    repo.write("later.txt", "later")
    repo.commit("main goes on")
    assert b"+a\n" in await repository.diff("weft/1-x", "main")
    assert b"later" not in await repository.diff("weft/1-x", "main")
    assert "a.txt" in await repository.diff_stat("weft/1-x", "main")
    with pytest.raises(UsageError, match="`nowhere`"):
        await repository.diff("nowhere", "main")


async def test_saved_refs(repo: GitRepo, repository: Repository, workspaces: GitWorkspaces) -> None:
    """What was saved is listed, for all jobs or for one."""
    assert await repository.saved_refs() == []
    for ident in ("1", "2"):
        made = await workspaces.prepare(repo.ask(ident))
        repo.write("a.txt", ident, inside=made.path)
        await made.close(remove_if_clean=True)
    assert len(await repository.saved_refs()) == 2
    (saved,) = await repository.saved_refs("shop.1")
    assert saved.ref.startswith("refs/weft/saved/shop.1/")
    assert saved.commit == repo.tip(saved.ref)
    assert saved.subject
    assert saved.when > 1_700_000_000


async def test_worktrees_of_weft(
    repo: GitRepo, repository: Repository, workspaces: GitWorkspaces, root: Path, tmp_path: Path
) -> None:
    """RECOVER-4: Weft's worktrees are told apart from the user's, with the run and job they are marked for."""
    repo.git("worktree", "add", "-q", str(tmp_path / "mine"))
    made = await workspaces.prepare(repo.ask())
    (found,) = repository.orphan_worktrees(root)
    assert (found.path, found.run, found.job) == (made.path, "r-1", "shop#1")
