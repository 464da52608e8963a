"""A branch on its way to the target: merged, gated on that very tree, landed (MERGE-2)."""

from __future__ import annotations

from tests.system.merging.scene import TARGET, Scene

from weft.model.plan import Gate


async def test_from_branch_to_target(scene: Scene) -> None:
    """MERGE-2: gates see both sides, what they saw is what lands, and nobody's checkout is touched."""
    scene.gates = (Gate("both", "test -f a.txt && test -f b.txt"),)
    source = scene.repo.branch("weft/1-x", {"a.txt": "a"})
    onto = scene.repo.branch(TARGET, {"b.txt": "b"})
    before = scene.repo.checkout_state()
    async with scene.hands() as hands:
        assert (await hands.read_target()).tip == onto
        merged = (await hands.merge(source, onto)).commit
        assert merged
        gated = await hands.gate(merged)
        assert [result.passed for result in gated.results] == [True]
        assert (gated.commit, gated.failure, gated.flaky) == (merged, None, ())
        ended = await hands.land(merged, onto)
        assert (ended.landed, ended.tip, ended.problem) == (True, merged, None)
    assert scene.repo.tip(TARGET) == merged
    assert scene.repo.checkout_state() == before
    assert scene.debris() == []
