"""Runs over projects under any interleaving: ends, failures, stops, in any order (PROJ-11)."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from weft.board.board import Board
from weft.board.document import run_document
from weft.board.projects import project_errors, project_views
from weft.model.commands import CloseWorkspace, Command, PrepareWorkspace, RunGates, RunSession, WriteNote
from weft.model.events import (
    AttemptStarted,
    GatesEnded,
    Input,
    JobEnded,
    RunStarted,
    SessionEnded,
    StopRequested,
    WorkspaceClosed,
    WorkspaceFailed,
    WorkspaceReady,
)
from weft.model.ids import JobKey, RunId
from weft.model.job import Job, JobStatus
from weft.model.outcome import Failure, SessionOutcome
from weft.model.phase import FailureClass, Phase, Pipeline, StepKind
from weft.model.plan import AgentKind, AgentSpec, Lane, Mode, Order, Plan, Repo
from weft.model.project import Project
from weft.scheduler.invariants import check_invariants
from weft.scheduler.state import State
from weft.scheduler.step import step

PIPELINE = Pipeline(
    "task",
    (
        Phase("exec", (StepKind.SESSION,), agent="mine", writes=True),
        Phase("qa", (StepKind.GATES, StepKind.SESSION), agent="mine", mends="exec"),
    ),
    quality_loop=1,
)
Work = PrepareWorkspace | RunSession | RunGates | CloseWorkspace


def made(counts: list[int], cap: int) -> Plan:
    """So many tasks in each project; the last project cannot run at all."""
    names = [f"p{number}" for number in range(len(counts))]
    jobs = [
        Job(JobKey(name, f"t{task}"), "t", name, branch="b", pipeline="task")
        for name, count in zip(names, counts, strict=True)
        for task in range(count)
    ]
    told = [None if count else "idle" for count in counts]
    projects = [Project(name, f"/{name}", skipped=why) for name, why in zip(names, told, strict=True)]
    return Plan(
        mode=Mode.PROJECTS,
        jobs=tuple(jobs),
        cap=cap,
        repos=tuple(Repo(name, f"/{name}") for name in names),
        lanes=tuple(Lane(name) for name in names),
        pipelines=(PIPELINE,),
        agents=(AgentSpec("mine", AgentKind.COMMAND, ("x",)),),
        order=Order.LISTED,
        projects=(*projects, Project("gone", "/gone", problem="is not a folder")),
    )


def answers(command: Work, choice: int, at: float) -> list[Input]:
    """What the world may say to a command: good, bad, or nothing to do."""
    match command:
        case PrepareWorkspace(job=job):
            if choice == 0:
                return [WorkspaceFailed(at=at, job=job, reason="no space")]
            return [WorkspaceReady(at=at, job=job, path="/w", branch="b", base="0", head="0")]
        case CloseWorkspace(job=job):
            return [WorkspaceClosed(at=at, job=job)]
        case RunGates(attempt=attempt, first=first):
            begun: list[Input] = [AttemptStarted(at=at, attempt=attempt)] if first else []
            return [*begun, GatesEnded(at=at, attempt=attempt)]
        case RunSession(attempt=attempt, first=first):
            begun = [AttemptStarted(at=at, attempt=attempt)] if first else []
            failure = Failure(FailureClass.WORK, "broken") if choice == 1 else None
            outcome = SessionOutcome(failure=failure, empty=choice == 2, commit="1")
            return [*begun, SessionEnded(at=at, attempt=attempt, outcome=outcome)]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=6), st.integers(1, 5), st.data())
def test_any_interleaving(counts: list[int], cap: int, data: st.DataObject) -> None:
    """PROJ-2, PROJ-3, PROJ-6, PROJ-11: never more projects at work than the cap, never two tasks of one; every task
    ends exactly once; every failure is among the errors and nothing else is; a failing project stops no other; the run
    ends whatever comes in which order, a stop in between included.
    """
    plan = made(counts, cap)
    state, board, waiting, at = State(RunId("r-1")), Board(RunId("r-1")), list[Work](), 0.0
    ends: list[JobKey] = []
    stop_after = data.draw(st.one_of(st.none(), st.integers(0, 12)))

    def tell(event: Input) -> None:
        board.apply(event)
        commands: list[Command] = step(state, event)
        for command in commands:
            if isinstance(command, WriteNote):
                board.apply(command.note)
                ends.extend([command.note.job] if isinstance(command.note, JobEnded) else [])
            elif isinstance(command, Work):
                waiting.append(command)
        check_invariants(state)
        active = [job.key.repo for job in board.view.running.values()]
        assert len(active) <= cap
        assert len(set(active)) == len(active)

    tell(RunStarted(at=at, plan=plan))
    count = 0
    while waiting:
        at += 1.0
        if count == stop_after:
            tell(StopRequested(at=at, signal=15))
        count += 1
        command = waiting.pop(data.draw(st.integers(0, len(waiting) - 1)))
        for event in answers(command, data.draw(st.integers(0, 9)), at):
            tell(event)
    view = board.view
    assert view.ended_at is not None
    assert sorted(ends) == sorted(view.jobs)
    failed = [str(job.key) for job in view.jobs.values() if job.status is JobStatus.FAILED]
    told = [f"{error.project}#{error.message.partition(':')[0]}" for error in project_errors(view)]
    assert sorted(told) == sorted([*failed, "gone#is not a folder"])
    if view.stop_signal is None:
        assert {job.status for job in view.jobs.values()} <= {JobStatus.PASSED, JobStatus.FAILED, JobStatus.NO_CHANGE}
        assert int(view.exit_code or 0) == 1
    document = run_document(view)
    assert [key for project in document["projects"] for key in project["tasks"]] == [str(key) for key in view.jobs]
    assert len(project_views(view)) == len(counts) + 1
