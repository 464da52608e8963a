"""A new run takes jobs out of a dead one, wherever they stood."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.assembly.take_over import WHY, take_over
from weft.board.board import fold
from weft.engine.recovery import reconstruct
from weft.errors import LockedError
from weft.model.events import (
    AnyEvent,
    AttemptStarted,
    GatesEnded,
    Input,
    RunEnded,
    RunStarted,
    SessionEnded,
    WorkspaceReady,
)
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import Job, JobStatus
from weft.model.layout import Layout
from weft.model.outcome import Failure, SessionOutcome
from weft.model.phase import FailureClass, Phase, Pipeline, RetryPolicy, StepKind
from weft.model.plan import AgentKind, AgentSpec, Lane, Mode, Plan, Repo
from weft.scheduler.states import JobState
from weft.stores.claims import claim_run
from weft.stores.memory import MemoryJournal

RUN = RunId("r-dead")
ONE, TWO = JobKey("shop", "1"), JobKey("shop", "2")
EXEC, QA = AttemptId(RUN, ONE, "exec", 1), AttemptId(RUN, ONE, "qa", 1)
PIPELINE = Pipeline(
    "default",
    (
        Phase("exec", (StepKind.SESSION,), agent="mine", retry=RetryPolicy((FailureClass.TRANSIENT,), 1)),
        Phase("qa", (StepKind.GATES,)),
    ),
)


def plan(cap: int = 1) -> Plan:
    jobs = (Job(ONE, "One", "shop", branch="weft/1"), Job(TWO, "Two", "shop", branch="weft/2"))
    agents = (AgentSpec("mine", AgentKind.COMMAND),)
    lanes = (Lane("shop", 2),)
    return Plan(
        Mode.PARALLEL, jobs, cap, repos=(Repo("shop", "/shop"),), lanes=lanes, pipelines=(PIPELINE,), agents=agents
    )


READY = WorkspaceReady(at=2.0, job=ONE, path="/ws", branch="weft/1", base="b", head="b")
STARTED = AttemptStarted(at=3.0, attempt=EXEC, agent="mine")
TRANSIENT = SessionOutcome(failure=Failure(FailureClass.TRANSIENT, "busy"))
DONE = SessionEnded(at=4.0, attempt=EXEC, outcome=SessionOutcome(commit="c", changed=True))

STORIES: dict[JobState, list[Input]] = {
    JobState.PREPARING: [],
    JobState.SESSION: [READY, STARTED],
    JobState.BACKOFF: [READY, STARTED, SessionEnded(at=4.0, attempt=EXEC, outcome=TRANSIENT)],
    JobState.GATES: [READY, STARTED, DONE],
    JobState.CLOSING: [READY, STARTED, DONE, GatesEnded(at=5.0, attempt=QA)],
}


async def dead(journal: MemoryJournal, story: list[Input], plan: Plan) -> None:
    """The inputs alone: the process died before it wrote any conclusion."""
    await journal.append(RUN, [RunStarted(at=1.0, plan=plan), *story])


def past(journal: MemoryJournal) -> list[AnyEvent]:
    return [entry.event for entry in journal.read(RUN)]


@pytest.mark.parametrize("state", STORIES)
async def test_the_job_ends_there_wherever_it_stood(tmp_path: Path, state: JobState) -> None:
    """RECOVER-1: whoever goes on with the dead run finds the job ended, and every conclusion written."""
    journal = MemoryJournal()
    await dead(journal, STORIES[state], plan())
    assert reconstruct(RUN, past(journal)).state.jobs[ONE].state is state
    assert await take_over(journal, Layout(str(tmp_path)), RUN, [ONE]) == [ONE]
    found = reconstruct(RUN, past(journal))
    assert found.state.jobs[ONE].status is (JobStatus.PASSED if state is JobState.CLOSING else JobStatus.CANCELLED)
    assert found.missing == ()
    assert found.state.jobs[TWO].status is None
    assert found.state.in_flight <= 1


async def test_a_job_that_had_not_begun(tmp_path: Path) -> None:
    """RECOVER-1: one that waited for a slot ends as cancelled, with the reason; the other goes on."""
    journal = MemoryJournal()
    await dead(journal, STORIES[JobState.SESSION], plan())
    assert await take_over(journal, Layout(str(tmp_path)), RUN, [TWO]) == [TWO]
    view = fold(RUN, past(journal), alive=False)
    assert (view.jobs[TWO].status, view.jobs[TWO].reason) == (JobStatus.CANCELLED, WHY)
    assert view.jobs[ONE].in_flight


async def test_when_all_jobs_are_taken_the_run_has_ended(tmp_path: Path) -> None:
    """RECOVER-1: nothing is left to recover."""
    journal = MemoryJournal()
    await dead(journal, STORIES[JobState.SESSION], plan())
    await take_over(journal, Layout(str(tmp_path)), RUN, [ONE, TWO])
    assert isinstance(past(journal)[-1], RunEnded)
    assert journal.runs()[0].ended_at is not None


async def test_jobs_that_had_ended_and_strangers_are_left_alone(tmp_path: Path) -> None:
    """What the dead run has not, or has done, is nothing to take: its journal stays as it is."""
    journal = MemoryJournal()
    await dead(journal, STORIES[JobState.SESSION], plan())
    before = past(journal)
    assert await take_over(journal, Layout(str(tmp_path)), RUN, [JobKey("shop", "9")]) == []
    assert past(journal) == before


async def test_a_run_that_lives_is_not_touched(tmp_path: Path) -> None:
    """A run that a process has taken up meanwhile is refused (exit 3)."""
    journal = MemoryJournal()
    await dead(journal, STORIES[JobState.SESSION], plan())
    with claim_run(tmp_path, RUN), pytest.raises(LockedError):
        await take_over(journal, Layout(str(tmp_path)), RUN, [ONE])
