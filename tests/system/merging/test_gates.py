"""Gates on exactly the tree that is to land, in a folder of their own (MERGE-2, MERGE-5)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.system.merging.scene import Hands, Scene, at_once

from weft.model.commands import GateMerge, StopAttempt
from weft.model.events import MergeGated
from weft.model.phase import FailureClass
from weft.model.plan import Gate, WorkspaceSetup


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.005)


async def test_the_tree_is_the_commits(scene: Scene) -> None:
    """MERGE-2: all of the commit and nothing else, on no branch, with the job's marks; gone when they have run."""
    look = 'git status --porcelain && git rev-parse HEAD && ls && echo "$WEFT_ATTEMPT" && test "$WEFT_WORKDIR" = "$PWD"'
    scene.gates = (Gate("look", look), Gate("branch", "git symbolic-ref -q HEAD"))
    commit = scene.repo.branch("weft/1-x", {"a.txt": "a"})
    before = scene.repo.checkout_state()
    async with scene.hands() as hands:
        gated = await hands.gate(commit)
    assert [(result.name, result.passed) for result in gated.results] == [("look", True), ("branch", False)]
    said = Path(scene.layout.gate(hands.attempt(), "look")).read_text()
    assert said.splitlines() == [commit, "README.md", "a.txt", "r-merging1/shop#1/merge/1"]
    assert scene.repo.checkout_state() == before
    assert scene.debris() == []


async def test_without_gates_there_is_no_folder(scene: Scene) -> None:
    """Answered at once; the commit need not even be there."""
    async with scene.hands() as hands:
        gated = await hands.gate("1" * 40)
    assert (gated.results, gated.failure) == ((), None)
    assert not scene.state.joinpath("worktrees").exists()


async def test_furnished_like_a_jobs(scene: Scene) -> None:
    """`[workspace]` copy, link and setup hold for the folder that gates of the queue run in."""
    scene.repo.write(".env", "secret")
    scene.repo.write("vendor/lib.txt", "lib")
    scene.setup = WorkspaceSetup(setup="echo made >made.txt", copy=(".env",), link=("vendor",))
    scene.gates = (Gate("test", "cat .env vendor/lib.txt made.txt && test -L vendor"),)
    async with scene.hands() as hands:
        gated = await hands.gate(scene.repo.tip("main"))
    assert [result.passed for result in gated.results] == [True], gated
    assert scene.debris() == []


async def test_a_setup_that_fails(scene: Scene) -> None:
    """It is no red gate: the failure says what could not be done."""
    scene.setup = WorkspaceSetup(setup="echo no such tool; exit 3")
    scene.gates = (Gate("test", "true"),)
    async with scene.hands() as hands:
        gated = await hands.gate(scene.repo.tip("main"))
    assert gated.failure is not None
    assert gated.failure.kind is FailureClass.SETUP
    assert "failed with status 3: no such tool" in gated.failure.message
    assert scene.debris() == []


async def test_red_twice_is_red(scene: Scene) -> None:
    """MERGE-5: only those that failed run again; what they say then is told, and both logs are kept."""
    ledger = scene.root / "ledger"
    scene.gates = (
        Gate("good", f"echo good >>{ledger}"),
        Gate("bad", f"echo bad >>{ledger}; echo run $(grep -c bad {ledger}); exit 7"),
    )
    async with scene.hands() as hands:
        gated = await hands.gate(scene.repo.tip("main"))
    assert ledger.read_text().split() == ["good", "bad", "bad"]
    assert [(result.name, result.passed, result.exit_status) for result in gated.results] == [
        ("good", True, 0),
        ("bad", False, 7),
    ]
    assert (gated.results[1].tail.strip(), gated.flaky, gated.failure) == ("run 2", (), None)
    assert Path(scene.layout.gate(hands.attempt(), "bad")).read_text() == "run 1\n"
    assert Path(scene.layout.gate_again(hands.attempt(), "bad")).read_text() == "run 2\n"


async def test_red_then_green_is_flaky(scene: Scene) -> None:
    """MERGE-5: it has passed, and is recorded as flaky."""
    sign = scene.root / "sign"
    scene.gates = (Gate("test", f"test -e {sign} || {{ touch {sign}; exit 1; }}"), Gate("lint", "true"))
    async with scene.hands() as hands:
        gated = await hands.gate(scene.repo.tip("main"))
    assert gated.flaky == ("test",)
    assert [result.passed for result in gated.results] == [True, True]


async def test_what_a_gate_did_does_not_make_it_pass(scene: Scene) -> None:
    """MERGE-5: the same tree means the commit's: what the first run wrote, changed or committed is gone before the
    second.
    """
    spoil = "echo x >made.txt; echo x >README.md; git checkout -q -b beside; git -c user.name=A -c user.email=a@b "
    scene.gates = (Gate("test", f"test -e made.txt || {{ {spoil} commit -qam x; git init -q nested; exit 1; }}"),)
    scene.repo.git("switch", "-q", "--detach")
    async with scene.hands() as hands:
        gated = await hands.gate(scene.repo.tip("main"))
    assert gated.flaky == ()
    assert [result.passed for result in gated.results] == [False]
    assert scene.debris() == []


async def test_a_gate_that_removes_its_folder(scene: Scene) -> None:
    """It fails, and does no other harm."""
    scene.gates = (Gate("test", 'rm -rf "$WEFT_WORKDIR"; exit 1'),)
    async with scene.hands() as hands:
        gated = await hands.gate(scene.repo.tip("main"))
    assert gated.failure is not None or not gated.results[0].passed
    assert scene.debris() == []


async def test_the_target_alone(scene: Scene) -> None:
    """MERGE-5: the same gates on the target's own commit."""
    scene.gates = (Gate("test", "test -f a.txt"),)
    async with scene.hands() as hands:
        red = await hands.gate_target(scene.repo.tip("main"))
        green = await hands.gate_target(scene.repo.branch("line", {"a.txt": "a"}))
    assert [result.passed for result in red.results] == [False]
    assert [result.passed for result in green.results] == [True]
    assert scene.debris() == []


# ---------------------------------------------------------------- stopping


async def stopped(scene: Scene, hands: Hands, sign: Path) -> MergeGated:
    """Gate a commit, and stop that once the sign is there."""
    gating = asyncio.create_task(hands.gate(scene.repo.tip("main")))
    await until(sign.exists)
    await hands.perform(StopAttempt(hands.attempt()))
    return await gating


@pytest.mark.parametrize("where", ["gate", "setup"])
async def test_stopped_in_the_middle(scene: Scene, where: str) -> None:
    """Whatever runs by then is ended with all its descendants, and the folder goes."""
    sign = scene.root / "sign"
    hang = f"(setsid sleep 1000 &) ; touch {sign}; sleep 1000"
    scene.setup = WorkspaceSetup(setup=hang if where == "setup" else "")
    scene.gates = (Gate("test", hang if where == "gate" else "true"),)
    async with scene.hands() as hands:
        gated = await stopped(scene, hands, sign)
    assert gated.failure is not None
    assert gated.failure.kind is FailureClass.KILLED
    assert gated.results == ()
    assert scene.debris() == []


async def test_stopped_before_it_began(scene: Scene) -> None:
    """The stop may come first: then nothing is started."""
    sign = scene.root / "sign"
    scene.gates = (Gate("test", f"touch {sign}; sleep 1000"),)
    async with scene.hands() as hands:
        await hands.perform(StopAttempt(hands.attempt()))
        gated = await hands.gate(scene.repo.tip("main"))
    assert gated.failure is not None
    assert gated.failure.kind is FailureClass.KILLED
    assert scene.debris() == []


async def test_the_warden_dies(scene: Scene) -> None:
    """RECOVER-4: gates that are lost with the process that ran them are told as lost, not as red."""
    sign = scene.root / "sign"
    scene.gates = (Gate("test", f"touch {sign}; sleep 1000"),)
    async with scene.hands() as hands:
        gating = asyncio.create_task(hands.gate(scene.repo.tip("main")))
        await until(sign.exists)
        hands.kill_warden()
        gated = await gating
    assert gated.failure is not None
    assert gated.failure.kind is FailureClass.LOST
    assert scene.debris() == []


async def test_a_time_limit(scene: Scene) -> None:
    """A gate over its limit is red, and says so."""
    scene.gates = (Gate("test", "sleep 1000", timeout=0.2),)
    async with scene.hands() as hands:
        gated = await hands.gate(scene.repo.tip("main"))
    assert "stopped after its time limit" in gated.results[0].tail


# ---------------------------------------------------------------- many at once


async def test_twenty_at_once(scene: Scene) -> None:
    """WAVE-6: twenty gates, made, run and removed at once, each in a folder of its own."""
    scene.gates = (Gate("test", "pwd"),)
    commit = scene.repo.tip("main")
    async with scene.hands() as hands:
        gates = [hands.gate(commit, ident, number) for ident in ("1", "2") for number in range(1, 11)]
        answers = [answer for answer in await at_once(*gates) if isinstance(answer, MergeGated)]
        logs = {Path(scene.layout.gate(answer.attempt, "test")).read_text() for answer in answers}
    assert len(answers) == 20
    assert all(answer.results[0].passed for answer in answers)
    assert len(logs) == 20
    assert scene.debris() == []


async def test_the_loop_goes_on_meanwhile(scene: Scene) -> None:
    """WAVE-6: while twenty gates run, other commands are carried out and answered."""
    signs = scene.root / "signs"
    signs.mkdir()
    scene.gates = (Gate("test", f'touch {signs}/$(basename "$PWD"); sleep 1000'),)
    source, onto = scene.repo.branch("weft/3-x", {"a.txt": "a"}), scene.repo.tip("main")
    async with scene.hands() as hands:
        attempts = [hands.attempt(number=number) for number in range(1, 21)]
        gating = [asyncio.create_task(hands.perform(GateMerge(attempt, onto))) for attempt in attempts]
        await until(lambda: len(list(signs.iterdir())) == 20)
        tip = (await hands.read_target()).tip
        merged = await hands.merge(source, str(tip), "3")
        assert (await hands.land(str(merged.commit), str(tip), "3")).landed
        assert not any(task.done() for task in gating)
        for attempt in attempts:
            await hands.perform(StopAttempt(attempt))
        ended = [event for events in await asyncio.gather(*gating) for event in events]
    failures = [event.failure.kind for event in ended if isinstance(event, MergeGated) and event.failure]
    assert failures == [FailureClass.KILLED] * 20
    assert scene.debris() == []
