"""A branch that does not merge goes back to its author: the merge is under way in the job's workspace (MERGE-4)."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.system.merging.scene import TARGET, Hands, Scene

from weft.model.commands import RunSession
from weft.model.events import SessionEnded, WorkspaceReady
from weft.model.outcome import SessionOutcome
from weft.model.phase import FailureClass

OURS, THEIRS = "ours\n", "theirs\n"
RESOLVE = "printf 'both\\n' >both.txt"


@pytest.fixture
async def hands(scene: Scene) -> AsyncIterator[Hands]:
    async with scene.hands() as hands:
        yield hands


async def conflicting(scene: Scene, hands: Hands) -> tuple[WorkspaceReady, str, str]:
    """A job's branch and a target that changed the same line; the merge begun in the workspace."""
    ready = await hands.prepare()
    scene.repo.write("both.txt", OURS, inside=Path(ready.path))
    scene.repo.write("own.txt", "own\n", inside=Path(ready.path))
    head = scene.repo.commit("ours", inside=Path(ready.path))
    theirs = scene.repo.branch(TARGET, {"both.txt": THEIRS, "new.txt": "new\n"})
    return await hands.prepare(head=head, merge=theirs), head, theirs


async def session(hands: Hands, head: str, number: int = 1) -> SessionOutcome:
    attempt = hands.attempt(phase="exec", number=number)
    *_, ended = await hands.perform(RunSession(attempt, first=True, head=head))
    assert isinstance(ended, SessionEnded)
    return ended.outcome


async def test_the_author_sees_the_conflict(scene: Scene, hands: Hands) -> None:
    """MERGE-4: markers in the files, what merged cleanly is staged, the branch has not moved."""
    ready, head, theirs = await conflicting(scene, hands)
    folder = Path(ready.path)
    text = (folder / "both.txt").read_text()
    assert "<<<<<<< HEAD\nours\n" in text
    assert "theirs\n>>>>>>> " in text
    assert (folder / "new.txt").read_text() == "new\n"
    assert scene.repo.git("diff", "--name-only", "--diff-filter=U", cwd=folder) == "both.txt"
    assert (ready.head, ready.base) == (head, theirs)
    assert scene.repo.tip("weft/1-x") == head


async def test_what_the_session_leaves_is_the_merge(scene: Scene) -> None:
    """MERGE-4: Weft's commit has both parents, so that the branch merges onto the target without conflict."""
    scene.agent = RESOLVE
    async with scene.hands() as hands:
        _, head, theirs = await conflicting(scene, hands)
        outcome = await session(hands, head)
        assert outcome.failure is None
        assert outcome.changed
        assert not outcome.empty
        assert outcome.commit
        assert scene.repo.git("show", "-s", "--format=%P", outcome.commit) == f"{head} {theirs}"
        assert scene.repo.show(outcome.commit, "both.txt") == "both"
        merged = await hands.merge(outcome.commit, theirs)
        assert merged.commit
        assert scene.repo.show(merged.commit, "own.txt") == "own"


@pytest.mark.parametrize(
    "agent",
    ["true", "git add -A", "git -c user.name=A -c user.email=a@b commit -qam done", "sed -i '/^=/d' both.txt"],
    ids=["nothing", "staged", "committed", "half"],
)
async def test_markers_are_no_success(scene: Scene, agent: str) -> None:
    """A session that leaves conflict markers has not done its work, whether it staged or committed them or not; its
    branch stays for the next try, and what it left is kept.
    """
    scene.agent = agent
    async with scene.hands() as hands:
        _, head, theirs = await conflicting(scene, hands)
        outcome = await session(hands, head)
        assert outcome.failure is not None
        assert outcome.failure.kind is FailureClass.WORK
        assert outcome.failure.message == "conflict markers are left in `both.txt`"
        again = await hands.prepare(head=head, merge=theirs)
        assert again.saved
        assert "<<<<<<< HEAD" in (Path(again.path) / "both.txt").read_text()
        assert scene.repo.tip("weft/1-x") == head


BINARY = b"ours\0"


async def without_markers(scene: Scene, hands: Hands) -> str:
    """A binary file that both sides changed, and one that the target removed; the merge begun in the workspace."""
    scene.repo.write("removed.txt", "as it was\n")
    scene.repo.commit("before")
    folder = Path((await hands.prepare()).path)
    scene.repo.write(ODD, BINARY, inside=folder)
    scene.repo.write("removed.txt", "changed\n", inside=folder)
    head = scene.repo.commit("ours", inside=folder)
    scene.repo.git("switch", "-q", "-c", TARGET)
    scene.repo.write(ODD, b"theirs\0")
    (scene.repo.path / "removed.txt").unlink()
    theirs = scene.repo.commit("theirs")
    scene.repo.git("switch", "-q", "main")
    await hands.prepare(head=head, merge=theirs)
    return head


ODD = os.fsdecode(b"odd\xff.bin")


async def test_a_conflict_without_markers_that_nobody_looked_at(scene: Scene) -> None:
    """MERGE-4: git leaves one side's version in the file. Taking that for resolved would undo what has landed."""
    scene.agent = "true"
    async with scene.hands() as hands:
        head = await without_markers(scene, hands)
        failure = (await session(hands, head)).failure
    assert failure is not None
    assert failure.kind is FailureClass.WORK
    assert r"the conflict in `odd\xff.bin`, `removed.txt` is not resolved" in failure.message
    assert scene.repo.tip("weft/1-x") == head


@pytest.mark.parametrize(
    "agent",
    [
        "git add -A",
        "rm removed.txt; for f in odd*; do echo both >$f; done",
        "git -c user.name=A -c user.email=a@b commit -qam done",
    ],
    ids=["said to be right", "changed", "committed"],
)
async def test_a_conflict_without_markers_that_was_dealt_with(scene: Scene, agent: str) -> None:
    """MERGE-4: whoever changes the file, or says with git that it is right as it is, has resolved it."""
    scene.agent = agent
    async with scene.hands() as hands:
        head = await without_markers(scene, hands)
        assert (await session(hands, head)).failure is None


async def test_text_that_only_looks_like_a_marker(scene: Scene) -> None:
    """A file may be about merging: only this merge's own markers count."""
    scene.agent = "printf '<<<<<<< mine\\n>>>>>>> yours\\n' >both.txt"
    async with scene.hands() as hands:
        _, head, _ = await conflicting(scene, hands)
        assert (await session(hands, head)).failure is None


async def test_without_conflict_the_merged_tree_is_there(scene: Scene) -> None:
    """MERGE-4: where gates are red on the merged tree, the author mends that tree."""
    scene.agent = "cat a.txt b.txt >c.txt"
    async with scene.hands() as hands:
        ready = await hands.prepare()
        scene.repo.write("a.txt", "a\n", inside=Path(ready.path))
        head = scene.repo.commit("a", inside=Path(ready.path))
        theirs = scene.repo.branch(TARGET, {"b.txt": "b\n"})
        await hands.prepare(head=head, merge=theirs)
        assert scene.repo.tip("weft/1-x") == head
        outcome = await session(hands, head)
        assert outcome.commit
        assert scene.repo.git("show", "-s", "--format=%P", outcome.commit) == f"{head} {theirs}"
        assert scene.repo.show(outcome.commit, "c.txt") == "a\nb"


async def test_a_branch_that_has_nothing_of_its_own(scene: Scene) -> None:
    """It is still a merge that the session concludes, though git could have moved the branch."""
    async with scene.hands() as hands:
        head = (await hands.prepare()).head
        theirs = scene.repo.branch(TARGET, {"b.txt": "b\n"})
        await hands.prepare(head=head, merge=theirs)
        outcome = await session(hands, str(head))
        assert outcome.commit
        assert scene.repo.git("show", "-s", "--format=%P", outcome.commit) == f"{head} {theirs}"
        assert outcome.empty


async def test_begun_again_after_a_crash(scene: Scene, hands: Hands) -> None:
    """RECOVER-3: whatever a dead process left of the merge, it is brought back to the tip and merged again."""
    ready, head, theirs = await conflicting(scene, hands)
    folder = Path(ready.path)
    scene.repo.write("half.txt", "half", inside=folder)
    scene.repo.git("reset", "-q", "--hard", "main", cwd=folder)
    async with scene.hands() as others:
        again = await others.prepare(head=head, merge=theirs)
    assert (again.head, again.base) == (head, theirs)
    assert "<<<<<<< HEAD" in (folder / "both.txt").read_text()
    assert not (folder / "half.txt").exists()


async def test_a_session_that_ended_before_a_crash(scene: Scene) -> None:
    """RECOVER-3: another process takes the workspace up as it is; markers are still found, a resolution counts."""
    async with scene.hands() as hands:
        ready, head, _ = await conflicting(scene, hands)
        folder = Path(ready.path)
    scene.repo.git("add", "-A", cwd=folder)
    async with scene.hands() as hands:
        failure = (await session(hands, head)).failure
        assert failure is not None
        assert failure.kind is FailureClass.WORK
        scene.repo.write("both.txt", "both\n", inside=folder)
        assert (await session(hands, head, number=2)).failure is None


async def test_prompts_tell_of_the_jobs_own_changes(scene: Scene) -> None:
    """What others landed is not shown as the branch's doing, before or after the merge is committed."""
    scene.agent = RESOLVE
    async with scene.hands() as hands:
        _, head, _ = await conflicting(scene, hands)
        workspace = hands.local._workspaces[hands.attempt().job]
        before = await workspace.changes()
        assert "own.txt" in before
        assert "new.txt" not in before
        await session(hands, head)
        after = await workspace.changes()
        assert "own.txt" in after
        assert "new.txt" not in after


async def test_a_rerere_of_the_users_does_not_step_in(scene: Scene, hands: Hands) -> None:
    """What the user once resolved is the user's: the agent sees the whole conflict."""
    scene.repo.git("config", "rerere.enabled", "true")
    scene.repo.git("config", "merge.verifySignatures", "true")
    ready, _, _ = await conflicting(scene, hands)
    assert "<<<<<<< HEAD" in (Path(ready.path) / "both.txt").read_text()
    assert list((scene.repo.path / ".git").rglob("preimage")) == []
