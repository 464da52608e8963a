"""`merge.update_checkout`: a clean checkout of the target follows it, and nothing of the user's is ever lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.system.merging.scene import Hands, Scene

from weft.model.plan import MergeInto


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    scene = Scene(tmp_path)
    scene.into = MergeInto("main", update_checkout=True)
    scene.repo.write("old.txt", "old\n")
    scene.repo.write("gone.txt", "gone\n")
    scene.repo.write(".gitignore", "*.log\n")
    scene.repo.commit("more")
    return scene


async def ready(scene: Scene, hands: Hands) -> tuple[str, str]:
    """(commit, tip): a merge that changes, adds and removes files, ready to land on `main`."""
    tip = scene.repo.tip("main")
    scene.repo.git("switch", "-q", "-c", "weft/1-x")
    scene.repo.git("rm", "-q", "gone.txt")
    scene.repo.write("old.txt", "changed\n")
    scene.repo.write("sub/new.txt", "new\n")
    source = scene.repo.commit("work")
    scene.repo.git("switch", "-q", "main")
    made = await hands.merge(source, tip)
    assert made.commit
    return made.commit, tip


async def refused(scene: Scene, words: str) -> None:
    """Landing now moves nothing, and says why."""
    async with scene.hands() as hands:
        commit, tip = scene.repo.tip("refs/weft-test/commit"), scene.repo.tip("main")
        before = scene.repo.checkout_state()
        ended = await hands.land(commit, tip)
    assert not ended.landed
    assert ended.problem is not None
    assert words in ended.problem
    assert scene.repo.checkout_state() == before


async def test_a_clean_one_follows(scene: Scene) -> None:
    """MERGE-2: files, index and branch together; what git does not know stays."""
    async with scene.hands() as hands:
        commit, tip = await ready(scene, hands)
        scene.repo.write("notes.txt", "mine")
        scene.repo.write("build.log", "mine")
        ended = await hands.land(commit, tip)
    assert (ended.landed, ended.problem) == (True, None)
    assert scene.repo.tip("HEAD") == scene.repo.tip("main") == commit
    assert scene.repo.git("status", "--porcelain") == "?? notes.txt"
    assert (scene.repo.path / "old.txt").read_text() == "changed\n"
    assert (scene.repo.path / "sub" / "new.txt").read_text() == "new\n"
    assert not (scene.repo.path / "gone.txt").exists()
    assert (scene.repo.path / "build.log").read_text() == "mine"


async def test_one_beside_follows_too(scene: Scene, tmp_path: Path) -> None:
    """A worktree of the user's that has the target is a checkout like any other."""
    scene.into = MergeInto("line", update_checkout=True)
    beside = tmp_path / "beside"
    scene.repo.git("worktree", "add", "-q", "-b", "line", str(beside))
    before = scene.repo.checkout_state()
    async with scene.hands() as hands:
        commit, tip = await ready(scene, hands)
        assert (await hands.land(commit, tip)).landed
    assert scene.repo.git("status", "--porcelain", cwd=beside) == ""
    assert (beside / "sub" / "new.txt").exists()
    assert scene.repo.checkout_state() == before


@pytest.mark.parametrize(
    ("file", "text", "staged", "words"),
    [
        ("old.txt", "mine\n", False, "changes that are not committed"),
        ("README.md", "mine\n", False, "changes that are not committed"),
        ("staged.txt", "mine\n", True, "changes that are not committed"),
        ("sub/new.txt", "mine\n", False, "the untracked `sub/new.txt` there is in the way"),
        ("sub", "mine\n", False, "the untracked `sub` there is in the way"),
        ("sub/new.txt/deep.txt", "mine\n", False, "there is in the way"),
    ],
)
async def test_nothing_of_the_users_is_lost(scene: Scene, file: str, text: str, staged: bool, words: str) -> None:
    """MERGE-2: a checkout with anything in it that would be lost is left alone, and so is the target."""
    async with scene.hands() as hands:
        commit, _ = await ready(scene, hands)
    scene.repo.git("update-ref", "refs/weft-test/commit", commit)
    scene.repo.write(file, text)
    if staged:
        scene.repo.git("add", file)
    await refused(scene, words)


@pytest.mark.parametrize("ignored", ["sub/new.txt", "sub"])
async def test_ignored_files_are_the_users_too(scene: Scene, ignored: str) -> None:
    """Git itself writes over what is ignored; Weft does not."""
    async with scene.hands() as hands:
        commit, _ = await ready(scene, hands)
    scene.repo.git("update-ref", "refs/weft-test/commit", commit)
    scene.repo.write(".git/info/exclude", "sub\n")
    scene.repo.write(ignored, "mine\n")
    await refused(scene, "is in the way")


async def test_killed_before_the_checkout_followed(scene: Scene) -> None:
    """RECOVER-1: the target had moved when Weft died: the checkout follows now."""
    async with scene.hands() as hands:
        commit, tip = await ready(scene, hands)
    scene.repo.git("update-ref", "refs/heads/main", commit, tip)
    assert scene.repo.git("status", "--porcelain") != ""
    async with scene.hands() as hands:
        ended = await hands.land(commit, tip)
    assert (ended.landed, ended.problem) == (True, None)
    assert scene.repo.git("status", "--porcelain") == ""
    assert (scene.repo.path / "sub" / "new.txt").exists()


async def test_killed_and_then_worked_in(scene: Scene) -> None:
    """The same where the user has gone on working there meanwhile: it has landed, and their work is left alone."""
    async with scene.hands() as hands:
        commit, tip = await ready(scene, hands)
    scene.repo.git("update-ref", "refs/heads/main", commit, tip)
    scene.repo.write("old.txt", "mine\n")
    before = scene.repo.checkout_state()
    async with scene.hands() as hands:
        ended = await hands.land(commit, tip)
    assert ended.landed
    assert ended.problem is not None
    assert ended.problem.startswith(f"the checkout in `{scene.repo.path}` did not follow: it has changes")
    assert scene.repo.checkout_state() == before
