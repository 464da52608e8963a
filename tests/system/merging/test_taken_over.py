"""A later run takes a job out of a dead one that was merging it: git says whether it had landed (RECOVER-2)."""

from __future__ import annotations

import pytest
from tests.system.merging.scene import RUN, TARGET, Scene

from weft.assembly.take_over import take_over
from weft.engine.recovery import reconstruct
from weft.model.events import (
    AttemptStarted,
    Input,
    MergeGated,
    MergeMade,
    RunStarted,
    SessionEnded,
    TargetRead,
    WorkspaceReady,
)
from weft.model.ids import AttemptId, JobKey
from weft.model.job import JobStatus
from weft.model.outcome import SessionOutcome
from weft.scheduler.merge_queue import ItemState
from weft.stores.memory import MemoryJournal
from weft.workspaces import Git

ONE = JobKey("shop", "1")


def story(scene: Scene, source: str, commit: str, until: ItemState) -> list[Input]:
    """What a run had written when it died while its first job was in that state of the queue."""
    tip = scene.repo.tip("main")
    session, merge = AttemptId(RUN, ONE, "exec", 1), AttemptId(RUN, ONE, "merge", 1)
    outcome = SessionOutcome(commit=source, changed=True)
    events: list[Input] = [
        RunStarted(at=1.0, plan=scene.plan),
        WorkspaceReady(at=2.0, job=ONE, path="/gone", branch="weft/1-x", base=tip, head=tip),
        AttemptStarted(at=3.0, attempt=session, agent="mine"),
        SessionEnded(at=4.0, attempt=session, outcome=outcome),
        TargetRead(at=5.0, repo="shop", tip=tip),
        MergeMade(at=6.0, attempt=merge, onto=tip, commit=commit),
        MergeGated(at=7.0, attempt=merge, commit=commit),
    ]
    return events[: {ItemState.MERGING: 5, ItemState.TESTING: 6, ItemState.LANDING: 7}[until]]


@pytest.mark.parametrize(
    ("until", "landed", "status"),
    [
        (ItemState.MERGING, False, JobStatus.CANCELLED),
        (ItemState.TESTING, False, JobStatus.CANCELLED),
        (ItemState.LANDING, False, JobStatus.CANCELLED),
        (ItemState.LANDING, True, JobStatus.PASSED),
    ],
)
async def test_it_ends_as_git_has_it(scene: Scene, until: ItemState, landed: bool, status: JobStatus) -> None:
    """RECOVER-1, RECOVER-2: no job is called done that is not, and none that landed is called cancelled."""
    source = scene.repo.branch("weft/1-x", {"a.txt": "a"})
    scene.repo.git("branch", TARGET)
    async with scene.hands() as hands:
        commit = (await hands.merge(source, scene.repo.tip("main"))).commit
    assert commit
    if landed:
        scene.repo.git("update-ref", f"refs/heads/{TARGET}", commit)
    journal = MemoryJournal()
    await journal.append(RUN, story(scene, source, commit, until))
    item = reconstruct(RUN, [entry.event for entry in journal.read(RUN)]).state.jobs[ONE].item
    assert item is not None
    assert item.state is until
    assert await take_over(journal, scene.layout, RUN, [ONE], Git(scene.repo.environment)) == [ONE]
    found = reconstruct(RUN, [entry.event for entry in journal.read(RUN)])
    assert found.state.jobs[ONE].status is status
    assert found.state.jobs[ONE].landed == (commit if landed else None)
    assert found.missing == ()
