"""What a killed Weft leaves of its merge queue is found by its marks, and goes: it is of no value (RECOVER-4)."""

from __future__ import annotations

import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.started import Started
from tests.support.waiting import until
from tests.system.merging.scene import RUN, Hands, Scene

from weft.assembly.worktrees import worktrees_folder
from weft.model.ids import RunId
from weft.model.plan import Gate
from weft.ports import MergeTree
from weft.workspaces import Git, find_repo
from weft.workspaces.leftovers import Leftovers
from weft.workspaces.mark import Mark, Purpose, write_mark
from weft.workspaces.merge_leftovers import remove_merge_worktrees


async def remove(scene: Scene, run: RunId = RUN) -> list[Path]:
    return await remove_merge_worktrees(worktrees_folder(scene.layout), scene.repo.path, run)


async def test_killed_in_the_middle_of_gates(scene: Scene) -> None:
    """RECOVER-4: kill -9 leaves no process, and the folder goes with the next look; the commit gated again passes."""
    sign = scene.root / "sign"
    gate = f"(setsid sleep 1000 &); touch {sign}; sleep 1000"
    argv = [sys.executable, "-m", "tests.system.merging.dying", str(scene.root), gate]
    environment = {**scene.repo.environment, "PYTHONPATH": ":".join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    weft = Started(argv, Path.cwd(), environment, scene.root / "output")
    weft.until(sign.exists)
    weft.send(signal.SIGKILL)
    weft.wait()
    until(lambda: [each for each in scene.debris() if each.startswith("process")] == [])
    (left,) = scene.worktrees()
    assert await remove(scene, RunId("r-another")) == []
    assert await remove(scene) == [left]
    assert scene.debris() == []
    scene.gates = (Gate("test", "true"),)
    async with scene.hands() as hands:
        assert (await hands.gate(scene.repo.tip("main"))).results[0].passed


async def made(hands: Hands, scene: Scene) -> MergeTree:
    return await hands.local._context.merges.check_out(scene.plan.repos[0], hands.attempt(), scene.repo.tip("main"))


def admin(scene: Scene, tree: Path) -> Path:
    return scene.repo.path / ".git" / "worktrees" / tree.name


def intent(scene: Scene, tree: Path) -> None:
    """The word that is there while a worktree is made."""
    mark = Mark(run=RUN, job="shop#1", branch="", base="", purpose=Purpose.GATES)
    write_mark(tree.with_name(f"{tree.name}.making"), mark)


def nothing_more(scene: Scene, tree: Path) -> None:
    """It was whole."""


def before_the_mark(scene: Scene, tree: Path) -> None:
    (admin(scene, tree) / "weft.json").unlink()
    intent(scene, tree)


def half_made(scene: Scene, tree: Path) -> None:
    """As `git worktree add` leaves it when it is killed early."""
    shutil.rmtree(tree)
    for name in ("gitdir", "commondir", "weft.json", "HEAD"):
        (admin(scene, tree) / name).unlink()
    intent(scene, tree)


def only_announced(scene: Scene, tree: Path) -> None:
    shutil.rmtree(tree)
    shutil.rmtree(admin(scene, tree))
    intent(scene, tree)


def half_removed(scene: Scene, tree: Path) -> None:
    trash = tree.parent / ".trash"
    trash.mkdir()
    tree.rename(trash / tree.name)


KILLED = (nothing_more, before_the_mark, half_made, only_announced, half_removed)


@pytest.mark.parametrize("state", KILLED)
async def test_wherever_the_kill_came(scene: Scene, state: Callable[[Scene, Path], None]) -> None:
    """RECOVER-4: each half of a worktree tells whose it was; afterwards git knows of none."""
    async with scene.hands() as hands:
        tree = await made(hands, scene)
        state(scene, tree.path)
        assert await remove(scene, RunId("r-another")) == []
        assert await remove(scene) == [tree.path]
    assert scene.debris() == []


@pytest.mark.parametrize("state", KILLED)
async def test_the_same_attempt_again(scene: Scene, state: Callable[[Scene, Path], None]) -> None:
    """RECOVER-3: what is in the way of an attempt that is made again goes first."""
    scene.gates = (Gate("test", "git status --porcelain; test -f README.md"),)
    async with scene.hands() as hands:
        tree = await made(hands, scene)
        (tree.path / "litter.txt").write_text("x")
        state(scene, tree.path)
        gated = await hands.gate(scene.repo.tip("main"))
    assert [result.passed for result in gated.results] == [True], gated
    assert Path(scene.layout.gate(hands.attempt(), "test")).read_text() == ""
    assert await remove(scene) == []
    assert [each for each in scene.debris() if ".trash" not in each] == []


async def test_jobs_keep_theirs(scene: Scene) -> None:
    """RECOVER-4: a job's workspace holds its work: it is another matter, and stays."""
    async with scene.hands() as hands:
        ready = await hands.prepare()
        tree = await made(hands, scene)
        assert await remove(scene) == [tree.path]
    assert Path(ready.path).is_dir()


async def test_cleaning_finds_it(scene: Scene) -> None:
    """What no recovery took away `weft clean` does: there is nothing in it that is only there."""
    git = Git(scene.repo.environment)
    async with scene.hands() as hands:
        tree = await made(hands, scene)
        (tree.path / "litter.txt").write_text("x")
        leftovers = Leftovers(worktrees_folder(scene.layout), git, await find_repo(git, scene.repo.path))
        (found,) = leftovers.found()
        assert await leftovers.only_there(found) is None
        await leftovers.remove(found)
    assert scene.debris() == []


async def test_a_repo_that_is_gone(scene: Scene) -> None:
    """Nothing is found there, and nothing breaks."""
    shutil.rmtree(scene.repo.path)
    assert await remove(scene) == []
