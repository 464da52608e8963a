"""What lanes offer does not pile up: a wide lane costs as little as many narrow ones."""

from __future__ import annotations

from weft.model.commands import CloseWorkspace, PrepareWorkspace, RunSession
from weft.model.events import Input, RunStarted, SessionEnded, WorkspaceClosed, WorkspaceReady
from weft.model.ids import JobKey, RunId
from weft.model.job import Job
from weft.model.outcome import SessionOutcome
from weft.model.phase import Phase, Pipeline, StepKind
from weft.model.plan import Lane, Mode, Order, Plan
from weft.scheduler.state import State
from weft.scheduler.step import step


def test_a_wide_lane_has_one_offer_at_a_time() -> None:
    """O(log n) per event: with every end an offer was added to those there, and each was looked at again and again."""
    jobs = tuple(Job(key=JobKey("repo", str(number)), title="t", lane="repo") for number in range(300))
    plan = Plan(
        mode=Mode.TASKS,
        jobs=jobs,
        cap=4,
        lanes=(Lane("repo", len(jobs)),),
        pipelines=(Pipeline("default", (Phase("task", (StepKind.SESSION,)),)),),
        order=Order.LISTED,
    )
    state = State(RunId("r-1"))
    events: list[Input] = [RunStarted(at=0.0, plan=plan)]
    most = 0
    while events:
        for command in step(state, events.pop(0)):
            match command:
                case PrepareWorkspace(job=job):
                    events.append(WorkspaceReady(at=1.0, job=job, path="/"))
                case RunSession(attempt=attempt):
                    events.append(SessionEnded(at=2.0, attempt=attempt, outcome=SessionOutcome()))
                case CloseWorkspace(job=job):
                    events.append(WorkspaceClosed(at=3.0, job=job))
                case _:
                    pass
        most = max(most, len(state.queue.offers))
    assert state.over
    assert most == 1
