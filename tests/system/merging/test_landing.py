"""A branch on its way to the target: merged, gated on that very tree, landed by compare-and-swap (MERGE-2)."""

from __future__ import annotations

import os
import time

from tests.system.merging.scene import TARGET, Hands, Scene, at_once

from weft.model.events import LandingEnded
from weft.model.ids import JobKey
from weft.model.plan import Gate
from weft.ports import LockAnswer, NoLocks


async def merged(scene: Scene, hands: Hands, ident: str = "1", onto: str = TARGET) -> str:
    """A commit that may land: a fresh branch merged onto a ref."""
    source = scene.repo.branch(f"weft/{ident}-x", {f"{ident}.txt": ident})
    made = await hands.merge(source, scene.repo.tip(onto), ident)
    assert made.commit
    return made.commit


async def test_from_branch_to_target(scene: Scene) -> None:
    """MERGE-2: gates see both sides, what they saw is what lands, and nobody's checkout is touched."""
    scene.gates = (Gate("both", "test -f a.txt && test -f b.txt"),)
    source = scene.repo.branch("weft/1-x", {"a.txt": "a"})
    onto = scene.repo.branch(TARGET, {"b.txt": "b"})
    before = scene.repo.checkout_state()
    async with scene.hands() as hands:
        assert (await hands.read_target()).tip == onto
        commit = (await hands.merge(source, onto)).commit
        assert commit
        gated = await hands.gate(commit)
        assert [result.passed for result in gated.results] == [True]
        assert (gated.commit, gated.failure, gated.flaky) == (commit, None, ())
        ended = await hands.land(commit, onto)
        assert (ended.landed, ended.tip, ended.problem) == (True, commit, None)
    assert scene.repo.tip(TARGET) == commit
    assert scene.repo.checkout_state() == before
    assert scene.debris() == []


async def test_of_many_landers_one_wins(scene: Scene) -> None:
    """MERGE-1: two landings never race: from the same tip exactly one lands, the others see where it stands now."""
    async with scene.hands() as hands, scene.hands() as others:
        tip = (await hands.read_target()).tip
        assert tip
        commits = {ident: await merged(scene, hands, ident) for ident in ("1", "2", "3")}
        lands = [each.land(commit, tip, ident) for each in (hands, others) for ident, commit in commits.items()]
        answers = [answer for answer in await at_once(*lands) if isinstance(answer, LandingEnded)]
    winner = scene.repo.tip(TARGET)
    assert winner in commits.values()
    assert {answer.commit for answer in answers if answer.landed} == {winner}
    assert [answer.problem for answer in answers] == [None] * 6
    assert {answer.tip for answer in answers} == {winner}


async def test_the_tip_moved(scene: Scene) -> None:
    """MERGE-2: then nothing is moved, and the answer says where the target is."""
    async with scene.hands() as hands:
        tip = str((await hands.read_target()).tip)
        commit = await merged(scene, hands)
        moved = scene.repo.branch("theirs", {"theirs.txt": "x"}, TARGET)
        scene.repo.git("update-ref", f"refs/heads/{TARGET}", moved)
        ended = await hands.land(commit, tip)
    assert (ended.landed, ended.tip, ended.problem) == (False, moved, None)
    assert scene.repo.tip(TARGET) == moved


async def test_landed_before(scene: Scene) -> None:
    """RECOVER-1: between the ref's update and its event Weft was killed: it has landed, also under later landings."""
    async with scene.hands() as hands:
        tip = str((await hands.read_target()).tip)
        commit = await merged(scene, hands)
        assert (await hands.land(commit, tip)).landed
    async with scene.hands() as hands:
        again = await hands.land(commit, tip)
        assert (again.landed, again.tip) == (True, commit)
        later = scene.repo.branch("later", {"later.txt": "x"}, TARGET)
        scene.repo.git("update-ref", f"refs/heads/{TARGET}", later)
        again = await hands.land(commit, tip)
        assert (again.landed, again.tip) == (True, later)
    assert scene.repo.tip(TARGET) == later


async def test_the_target_never_goes_back(scene: Scene) -> None:
    """What does not build on the tip cannot become it, whoever asks."""
    async with scene.hands() as hands:
        tip = str((await hands.read_target()).tip)
        stranger = scene.repo.git("commit-tree", f"{tip}^{{tree}}", "-m", "without parents")
        ended = await hands.land(stranger, tip)
    assert not ended.landed
    assert ended.problem is not None
    assert "does not build on" in ended.problem
    assert scene.repo.tip(TARGET) == tip


async def test_the_target_is_gone(scene: Scene) -> None:
    """A branch that the user deleted meanwhile is not made again from nowhere."""
    async with scene.hands() as hands:
        tip = str((await hands.read_target()).tip)
        commit = await merged(scene, hands)
        scene.repo.git("branch", "-D", TARGET)
        ended = await hands.land(commit, tip)
    assert (ended.landed, ended.tip) == (False, None)
    assert ended.problem is not None
    assert f"branch `{TARGET}` is gone" in ended.problem


async def test_checked_out_meanwhile(scene: Scene) -> None:
    """MERGE-2: a user who switches to the target in the middle of a run is not moved under."""
    async with scene.hands() as hands:
        tip = str((await hands.read_target()).tip)
        commit = await merged(scene, hands)
        scene.repo.git("switch", "-q", TARGET)
        before = scene.repo.checkout_state()
        ended = await hands.land(commit, tip)
    assert not ended.landed
    assert ended.problem is not None
    assert "is checked out in" in ended.problem
    assert scene.repo.tip(TARGET) == tip
    assert scene.repo.checkout_state() == before


class Lost(NoLocks):
    def lost(self, job: JobKey) -> str | None:
        return f"{job} is another's now"


class Refused(NoLocks):
    def take(self, job: JobKey) -> LockAnswer:
        return LockAnswer(holder="PID 1", message=f"{job} is locked by PID 1")


async def test_without_the_lock_nothing_lands(scene: Scene) -> None:
    """LOCK: who lost the job, or cannot take it up again after a crash, does not write to the repo for it."""
    async with scene.hands() as hands:
        tip = str((await hands.read_target()).tip)
        commit = await merged(scene, hands)
    for locks, problem in ((Lost(), "shop#1 is another's now"), (Refused(), "shop#1 is locked by PID 1")):
        scene.locks = locks
        async with scene.hands() as hands:
            ended = await hands.land(commit, tip)
        assert (ended.landed, ended.problem) == (False, problem)
        assert scene.repo.tip(TARGET) == tip


async def test_a_lock_that_a_dead_git_left(scene: Scene) -> None:
    """RECOVER-5: git's own lock on the target is cleared once nobody can have it any more."""
    async with scene.hands() as hands:
        tip = str((await hands.read_target()).tip)
        commit = await merged(scene, hands)
        lock = scene.repo.write(f".git/refs/heads/{TARGET}.lock", "")
        os.utime(lock, (time.time() - 60, time.time() - 60))
        ended = await hands.land(commit, tip)
    assert (ended.landed, ended.problem) == (True, None)
    assert scene.debris() == []


async def test_a_packed_target(scene: Scene) -> None:
    """Refs that git has packed away are moved like any other."""
    async with scene.hands() as hands:
        tip = str((await hands.read_target()).tip)
        commit = await merged(scene, hands)
        scene.repo.git("pack-refs", "--all", "--prune")
        assert (await hands.land(commit, tip)).landed
    assert scene.repo.tip(TARGET) == commit
