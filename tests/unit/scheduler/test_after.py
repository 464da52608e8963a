"""Jobs that wait for others however they end, and that take what those said."""

from __future__ import annotations

import msgspec
import pytest

from weft.errors import UsageError
from weft.model.commands import Command, PrepareWorkspace, RunSession, StopAttempt, Taken
from weft.model.events import RetryRequested, RunStarted, SessionEnded, WorkspaceClosed, WorkspaceReady
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.job import Job, JobStatus
from weft.model.outcome import Failure, SessionOutcome
from weft.model.phase import FailureClass, Phase, Pipeline, StepKind
from weft.model.plan import LockRule, Mode, Plan, StopRule
from weft.scheduler.graph import check_plan
from weft.scheduler.invariants import check_invariants
from weft.scheduler.state import State
from weft.scheduler.step import replay, step
from weft.scheduler.why import why

RUN = RunId("r-1")
A, B, C = (JobKey("place", name) for name in "abc")
PIPELINE = Pipeline("default", (Phase("task", (StepKind.SESSION,), verbatim=True),))
DONE = SessionOutcome()
BROKEN = SessionOutcome(failure=Failure(FailureClass.WORK, "no"))


def plan(*jobs: Job, stop: StopRule = StopRule.CONTINUE) -> Plan:
    return Plan(mode=Mode.TASKS, jobs=jobs, cap=5, pipelines=(PIPELINE,), stop=stop)


def job(key: JobKey, **more: object) -> Job:
    more.setdefault("branch", f"weft/{key.id}")
    return Job(key=key, title="t", lane=str(key), **more)  # type: ignore[arg-type]


def prepared(commands: list[Command]) -> list[JobKey]:
    return [command.job for command in commands if isinstance(command, PrepareWorkspace)]


class Played:
    """A run in which every job is brought to its session, and ended as told."""

    def __init__(self, made: Plan) -> None:
        self.state = State(RUN)
        self.events: list[object] = []
        self.commands: list[Command] = []
        self._step(RunStarted(at=0.0, plan=made))

    def begin(self, key: JobKey) -> RunSession:
        assert key in prepared(self.commands)
        return next(c for c in self._step(WorkspaceReady(at=1.0, job=key, path="/x")) if isinstance(c, RunSession))

    def end(self, key: JobKey, outcome: SessionOutcome = DONE) -> list[Command]:
        attempt = self.state.jobs[key].attempt
        assert attempt is not None
        self._step(SessionEnded(at=2.0, attempt=attempt, outcome=outcome))
        return self._step(WorkspaceClosed(at=3.0, job=key))

    def _step(self, event: object) -> list[Command]:
        self.events.append(event)
        ordered = step(self.state, event)  # type: ignore[arg-type]
        self.commands += ordered
        check_invariants(self.state)
        return ordered


@pytest.mark.parametrize("outcome", [SessionOutcome(), BROKEN])
def test_it_starts_however_they_end(outcome: SessionOutcome) -> None:
    """TASK-13: a judge waits for all, and is not kept from its work by one that failed."""
    played = Played(plan(job(A), job(B), job(C, after=(A, B))))
    assert why(played.state, C) == "waits for place#a (preparing), place#b (preparing)"
    played.begin(A)
    played.begin(B)
    assert C not in prepared(played.end(A, outcome))
    assert C in prepared(played.end(B, outcome))


def test_a_dependency_must_still_be_done() -> None:
    """TASK-11: of one that waits in both ways, the one it depends on counts."""
    played = Played(plan(job(A), job(B), job(C, depends_on=(A,), after=(B,))))
    played.begin(A)
    played.begin(B)
    played.end(B, BROKEN)
    assert played.state.jobs[C].status is None
    played.end(A, BROKEN)
    assert played.state.jobs[C].status is JobStatus.PARKED


def test_it_is_told_whose_output_to_take() -> None:
    """TASK-12: by the attempt, and whether its job succeeded; the texts themselves are not carried around."""
    earlier = AttemptId(RunId("r-0"), B, "task", 2)
    jobs = (job(A), job(B, finished="before", earlier=earlier), job(C, after=(A, B), takes=(A, B)))
    played = Played(plan(*jobs))
    played.begin(A)
    played.end(A, BROKEN)
    ordered = played.begin(C)
    assert ordered.takes == (Taken(AttemptId(RUN, A, "task", 1), False), Taken(earlier, True))
    replayed, commands = replay(RUN, played.events)  # type: ignore[arg-type]
    assert replayed.snapshot() == played.state.snapshot()
    assert ordered in commands


def test_the_attempt_that_counts_is_the_last() -> None:
    """TASK-12: after a retry its output is meant, not that of the first try."""
    played = Played(plan(job(A), job(B), job(C, depends_on=(A,), after=(B,), takes=(A,))))
    played.begin(B)
    played.begin(A)
    played.end(A, BROKEN)
    played._step(RetryRequested(at=4.0, job=A))
    played.begin(A)
    played.end(A)
    played.end(B)
    assert played.begin(C).takes == (Taken(AttemptId(RUN, A, "task", 2), True),)


def test_branches_of_other_repos_are_no_start() -> None:
    """TASK-10: a job depends on one of another repo, and starts from its own repo's base."""
    other = JobKey("elsewhere", "a")
    played = Played(plan(job(other, branch="weft/a"), job(B, branch="weft/b", depends_on=(other,))))
    played.begin(other)
    assert PrepareWorkspace(B) in played.end(other)


def test_what_is_not_there_cannot_be_waited_for() -> None:
    """TASK-11: a plan is checked for both ways of waiting, and for cycles through them."""
    with pytest.raises(UsageError, match="place#a depends on place#b"):
        check_plan(plan(job(A, after=(B,))))
    with pytest.raises(UsageError, match="Dependency cycle: place#a → place#b → place#a"):
        check_plan(plan(job(A, after=(B,)), job(B, depends_on=(A,))))


def test_a_change_may_be_no_must() -> None:
    """TASK-10: a task on a branch of its own that changed nothing has still succeeded."""
    lines = [
        Pipeline("default", (Phase("task", (StepKind.SESSION,), writes=True, must_change=must),))
        for must in (False, True)
    ]
    for line, status in zip(lines, (JobStatus.PASSED, JobStatus.NO_CHANGE), strict=True):
        played = Played(Plan(mode=Mode.TASKS, jobs=(job(A, branch="b"),), cap=1, pipelines=(line,)))
        played.begin(A)
        played.end(A, SessionOutcome(empty=True))
        assert played.state.jobs[A].status is status


def test_who_works_in_place_begins_at_once() -> None:
    """TASK-4: nothing is made before and nothing put away after, so that a task costs two words to the journal."""
    played = Played(plan(job(A, branch=None), job(B, branch=None), stop=StopRule.FAIL_FAST))
    assert [command.attempt.job for command in played.commands if isinstance(command, RunSession)] == [A, B]
    attempt = played.state.jobs[A].attempt
    assert attempt is not None
    ordered = played._step(SessionEnded(at=2.0, attempt=attempt, outcome=BROKEN))
    assert played.state.jobs[A].status is JobStatus.FAILED
    [stop] = [command for command in ordered if isinstance(command, StopAttempt)]
    played._step(SessionEnded(at=3.0, attempt=stop.attempt, outcome=BROKEN))
    assert (played.state.jobs[B].status, played.state.over) == (JobStatus.CANCELLED, True)


def test_locks_come_with_a_workspace() -> None:
    """LOCK-3: where the plan has locks, also a job in place is prepared, since its lock is taken then."""
    made = msgspec.structs.replace(plan(job(A, branch=None)), lock=LockRule.AT_START)
    assert prepared(Played(made).commands) == [A]
