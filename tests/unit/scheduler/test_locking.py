"""Locks as the scheduler sees them: asked for up front, waited for like a dependency, given back at every end."""

from __future__ import annotations

from weft.model.commands import PrepareWorkspace, ReleaseLock, TakeLock
from weft.model.events import CancelRequested, LockRefused, LockTaken, RunResumed, RunStarted, WorkspaceFailed
from weft.model.ids import JobKey, RunId
from weft.model.job import Job, JobStatus
from weft.model.phase import Phase, Pipeline, StepKind
from weft.model.plan import LockRule, Mode, Plan, StopRule
from weft.scheduler.invariants import check_invariants
from weft.scheduler.state import State
from weft.scheduler.step import step
from weft.scheduler.why import why

ONE, TWO = JobKey("shop", "1"), JobKey("shop", "2")
PIPELINE = Pipeline("default", (Phase("exec", (StepKind.SESSION,)),))


def started(rule: LockRule, stop: StopRule = StopRule.CONTINUE, cap: int = 2) -> tuple[State, list[object]]:
    jobs = tuple(Job(key=key, title="t", lane=key.id) for key in (ONE, TWO))
    plan = Plan(mode=Mode.PARALLEL, jobs=jobs, cap=cap, pipelines=(PIPELINE,), lock=rule, stop=stop)
    state = State(RunId("r-1"))
    return state, list(step(state, RunStarted(at=0.0, plan=plan)))


def refused(key: JobKey) -> LockRefused:
    return LockRefused(at=1.0, job=key, holder="PID 7 (weft run 1)", message="…")


def test_all_locks_are_asked_for_up_front() -> None:
    """LOCK-3: in parallel mode every lock is taken before any work starts; the best job starts first."""
    state, commands = started(LockRule.UP_FRONT, cap=1)
    assert commands == [TakeLock(ONE), TakeLock(TWO)]
    assert why(state, ONE) == "waits for its lock"
    assert step(state, LockTaken(at=1.0, job=TWO)) == []
    assert PrepareWorkspace(ONE) in step(state, LockTaken(at=1.0, job=ONE))
    check_invariants(state)


def test_a_refused_lock_ends_the_job_alone() -> None:
    """LOCK-4: a locked issue is skipped, the others go on; what it may have held is given back."""
    state, _ = started(LockRule.UP_FRONT)
    assert ReleaseLock(ONE) in step(state, refused(ONE))
    assert state.jobs[ONE].status is JobStatus.LOCKED
    assert PrepareWorkspace(TWO) in step(state, LockTaken(at=1.0, job=TWO))
    check_invariants(state)


def test_locked_as_its_job_starts() -> None:
    """LOCK-3, RUN-5: one at a time, the lock is taken with the workspace; a locked issue stops a chain."""
    state, commands = started(LockRule.AT_START, StopRule.CHAIN, cap=1)
    assert TakeLock(ONE) not in commands
    step(state, WorkspaceFailed(at=1.0, job=ONE, reason="…", locked_by="PID 7 (weft run 1)"))
    assert [state.jobs[key].status for key in (ONE, TWO)] == [JobStatus.LOCKED, JobStatus.NOT_RUN]
    assert state.over


def test_a_locked_job_does_not_stop_a_sequence() -> None:
    """RUN-3: a locked one is skipped."""
    state, _ = started(LockRule.AT_START, StopRule.STOP, cap=1)
    commands = step(state, WorkspaceFailed(at=1.0, job=ONE, reason="…", locked_by="PID 7 (weft run 1)"))
    assert PrepareWorkspace(TWO) in commands


def test_locks_are_asked_for_again_after_a_crash() -> None:
    """LOCK-6, RECOVER-4: the dead process held them, the new one does not; who has one by then keeps it."""
    state, _ = started(LockRule.UP_FRONT, cap=1)
    step(state, LockTaken(at=1.0, job=ONE))
    step(state, LockTaken(at=1.0, job=TWO))
    assert TakeLock(TWO) in step(state, RunResumed(at=2.0))
    step(state, refused(TWO))
    assert state.jobs[TWO].status is JobStatus.LOCKED
    check_invariants(state)


def test_without_locks_none_are_asked_for() -> None:
    """LOCK-10: for callers that coordinate by themselves."""
    _, commands = started(LockRule.NONE)
    assert not [command for command in commands if isinstance(command, TakeLock | ReleaseLock)]


def test_a_job_cancelled_before_its_lock_is_answered_holds_nobody_up() -> None:
    """LOCK-3: the others start when the last answer that is still wanted has come."""
    state, _ = started(LockRule.UP_FRONT)
    assert not any(isinstance(command, PrepareWorkspace) for command in step(state, LockTaken(at=1.0, job=ONE)))
    assert PrepareWorkspace(ONE) in step(state, CancelRequested(at=1.0, job=TWO))
    assert step(state, LockTaken(at=1.0, job=TWO)) == []
    check_invariants(state)
