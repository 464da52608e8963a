"""The branch that a repo's queue lands on: found, made, or refused (MERGE-2)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.git_repo import GitRepo
from tests.system.merging.scene import TARGET, Scene, at_once

from weft.errors import UsageError
from weft.model.events import TargetRead
from weft.model.plan import MergeInto
from weft.workspaces import Git, Repository, find_repo


async def check(repo: GitRepo, into: MergeInto) -> None:
    git = Git(repo.environment)
    await Repository(git, await find_repo(git, repo.path)).check_target(into)


async def test_made_from_the_base(scene: Scene) -> None:
    """MERGE-2: a target that does not exist is made from the base; the next look finds it."""
    before = scene.repo.checkout_state()
    async with scene.hands() as hands:
        made, found = await hands.read_target(), await hands.read_target()
    assert (made.tip, made.made, made.problem) == (scene.repo.tip("main"), True, None)
    assert (found.tip, found.made) == (made.tip, False)
    assert scene.repo.tip(TARGET) == made.tip
    assert scene.repo.checkout_state() == before


async def test_made_once(scene: Scene) -> None:
    """MERGE-1: of many that find it missing at once exactly one makes it, and all see the same."""
    async with scene.hands() as hands, scene.hands() as others:
        answers = await at_once(*(each.read_target() for each in (hands, others) for _ in range(8)))
    read = [answer for answer in answers if isinstance(answer, TargetRead)]
    assert [answer.problem for answer in read] == [None] * 16
    assert sum(answer.made for answer in read) == 1
    assert {answer.tip for answer in read} == {scene.repo.tip("main")}


async def test_no_base(scene: Scene) -> None:
    """A base that git does not know is told in words."""
    scene.repo.git("branch", "-m", "main", "trunk")
    async with scene.hands() as hands:
        problem = (await hands.read_target()).problem
    assert problem is not None
    assert problem.startswith("base `main` is not a commit of `")
    assert not scene.repo.exists(TARGET)


async def test_checked_out_by_the_user(scene: Scene) -> None:
    """MERGE-2: the user's checkout is never touched, so its branch is no target; nothing starts on it either."""
    scene.into = MergeInto("main")
    async with scene.hands() as hands:
        answer = await hands.read_target()
    expected = f"branch `main` is checked out in `{scene.repo.path}`, which Weft does not touch"
    assert answer.tip is None
    assert answer.problem is not None
    assert answer.problem.startswith(f"{expected} (hint: merge into another branch: `target` under `[merge]`")
    with pytest.raises(UsageError) as refused:
        await check(scene.repo, scene.into)
    assert refused.value.message == expected


async def test_checked_out_in_another_worktree(scene: Scene, tmp_path: Path) -> None:
    """The same for any worktree that is not Weft's own."""
    scene.repo.git("worktree", "add", "-q", "-b", TARGET, str(tmp_path / "beside"))
    async with scene.hands() as hands:
        problem = (await hands.read_target()).problem
    assert problem is not None
    assert f"is checked out in `{tmp_path / 'beside'}`" in problem


async def test_a_clean_checkout_may_follow(scene: Scene) -> None:
    """`merge.update_checkout` lifts the refusal for a clean checkout, untracked files or not; not for a dirty one."""
    scene.into = MergeInto("main", update_checkout=True)
    scene.repo.write("untracked.txt", "x")
    await check(scene.repo, scene.into)
    async with scene.hands() as hands:
        assert (await hands.read_target()).tip == scene.repo.tip("main")
        scene.repo.write("README.md", "mine\n")
        problem = (await hands.read_target()).problem
    assert problem is not None
    assert "and it has changes that are not committed (hint: commit or stash" in problem
    with pytest.raises(UsageError, match="changes that are not committed"):
        await check(scene.repo, scene.into)


async def test_a_rebase_under_way_is_no_clean_checkout(scene: Scene) -> None:
    """What the user is in the middle of is left alone."""
    scene.into = MergeInto("main", update_checkout=True)
    scene.repo.branch("side", {"README.md": "side\n"})
    scene.repo.write("README.md", "main\n")
    scene.repo.commit("main")
    scene.repo.git("rebase", "side", check=False)
    with pytest.raises(UsageError, match="under way"):
        await check(scene.repo, scene.into)
    scene.repo.git("rebase", "--abort")
    await check(scene.repo, scene.into)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("a..b", "no valid branch name"),
        ("-x", "no valid branch name"),
        ("main/next", "branch `main` makes the branch `main/next` impossible in git"),
        ("deep", "branch `deep/er` makes the branch `deep` impossible in git"),
    ],
)
async def test_names_that_cannot_be(scene: Scene, target: str, words: str) -> None:
    """Told before anything starts, not when the first branch is to land."""
    scene.repo.git("branch", "deep/er")
    with pytest.raises(UsageError) as refused:
        await check(scene.repo, MergeInto(target))
    assert words in refused.value.message
