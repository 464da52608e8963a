"""Jobs of a repo with a merge queue start where those before them landed (WAVE-11)."""

from __future__ import annotations

from pathlib import Path

from tests.system.merging.scene import TARGET, Scene

from weft.model.commands import PrepareWorkspace
from weft.model.events import WorkspaceReady
from weft.model.ids import JobKey


async def test_at_the_target(scene: Scene) -> None:
    """WAVE-11: at its tip, which is also what the job's work is measured against."""
    tip = scene.repo.branch(TARGET, {"landed.txt": "x"})
    async with scene.hands() as hands:
        ready = await hands.prepare()
    assert (ready.base, ready.head) == (tip, tip)
    assert (Path(ready.path) / "landed.txt").exists()


async def test_at_the_base_before_there_is_one(scene: Scene) -> None:
    """MERGE-2: a target that nobody has made yet is no obstacle."""
    async with scene.hands() as hands:
        ready = await hands.prepare()
    assert ready.base == scene.repo.tip("main")
    assert not scene.repo.exists(TARGET)


async def test_later_landings_do_not_move_the_measure(scene: Scene) -> None:
    """A job that goes on is measured against where it started, however far the target has come since."""
    start = scene.repo.branch(TARGET, {"landed.txt": "x"})
    async with scene.hands() as hands:
        ready = await hands.prepare()
        scene.repo.write("a.txt", "a", inside=Path(ready.path))
        head = scene.repo.commit("a", inside=Path(ready.path))
        scene.repo.git("update-ref", f"refs/heads/{TARGET}", scene.repo.branch("other", {"b.txt": "b"}, TARGET))
        again = await hands.prepare(head=head)
    assert (again.base, again.head) == (start, head)


async def test_dependencies_that_landed_add_nothing(scene: Scene) -> None:
    """WAVE-3: what the target has is not merged again; what it has not is."""
    landed = scene.repo.branch("weft/2-x", {"two.txt": "2"})
    scene.repo.git("branch", TARGET, landed)
    scene.repo.branch("weft/3-x", {"three.txt": "3"})
    async with scene.hands() as hands:
        (ready,) = await hands.perform(PrepareWorkspace(JobKey("shop", "1"), starts_from=("weft/2-x",)))
        assert isinstance(ready, WorkspaceReady)
        assert ready.base == landed
        (more,) = await hands.perform(PrepareWorkspace(JobKey("shop", "1"), starts_from=("weft/2-x", "weft/3-x")))
        assert isinstance(more, WorkspaceReady)
        assert {"two.txt", "three.txt"} <= scene.repo.files(str(more.base))
