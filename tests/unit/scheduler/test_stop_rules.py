"""What a job that ends badly means for the others (RUN-3, RUN-4, RUN-5)."""

from __future__ import annotations

import pytest
from tests.unit.scheduler.drive import Drive, failed, job, key, plan

from weft.model.commands import PrepareWorkspace, StopAttempt
from weft.model.events import CancelRequested, WorkspaceFailed
from weft.model.job import JobStatus
from weft.model.outcome import SessionOutcome
from weft.model.phase import FailureClass
from weft.model.plan import Order, StopRule

P = JobStatus.PASSED
THREE = (job("1"), job("2"), job("3"))


def test_one_at_a_time_a_failure_stops_nobody() -> None:
    """RUN-4: `--concurrency 1` goes on."""
    drive = Drive(plan(*THREE, cap=1))
    drive.run("1", failed())
    drive.run("2")
    drive.run("3")
    assert drive.ends == {"1": JobStatus.FAILED, "2": P, "3": P}


def test_sequential_stops_at_the_first_failure() -> None:
    """RUN-3: the rest are reported not run, with the reason."""
    drive = Drive(plan(*THREE, cap=1, stop=StopRule.STOP))
    drive.run("1")
    drive.run("2", failed())
    assert drive.ends == {"1": P, "2": JobStatus.FAILED, "3": JobStatus.NOT_RUN}
    assert drive.reason("3") == "stopped after shop#2 failed"
    assert drive.state.over


def test_sequential_stops_at_a_job_that_changed_nothing() -> None:
    """RUN-3: so does `no change`."""
    phase = plan().pipelines[0].phases[0]
    writing = type(phase)("work", phase.steps, agent="mine", writes=True)
    drive = Drive(
        plan(*THREE, cap=1, stop=StopRule.STOP, pipelines=(type(plan().pipelines[0])("default", (writing,)),))
    )
    drive.run("1", SessionOutcome(empty=True))
    assert drive.ends == {"1": JobStatus.NO_CHANGE, "2": JobStatus.NOT_RUN, "3": JobStatus.NOT_RUN}


def test_sequential_stops_at_a_cancelled_job() -> None:
    """RUN-3: cancelled by the user in the middle of its session."""
    drive = Drive(plan(*THREE, cap=1, stop=StopRule.STOP))
    drive.ready("1")
    assert StopAttempt in [type(c) for c in drive.do(CancelRequested(at=1.0, job=key("1")))]
    drive.session("1", failed(FailureClass.KILLED))
    drive.closed("1")
    assert drive.ends == {"1": JobStatus.CANCELLED, "2": JobStatus.NOT_RUN, "3": JobStatus.NOT_RUN}


def test_sequential_runs_up_to_a_job_that_can_never_start() -> None:
    """RUN-3: those listed before it run; it is parked when its turn comes, and stops the rest."""
    jobs = (job("1"), job("2", unmet="other#7"), job("3"))
    drive = Drive(plan(*jobs, cap=1, stop=StopRule.STOP, order=Order.LISTED))
    drive.run("1")
    assert drive.ends == {"1": P, "2": JobStatus.PARKED, "3": JobStatus.NOT_RUN}


def test_sequential_skips_a_locked_job() -> None:
    """RUN-3: a locked one stops nobody."""
    drive = Drive(plan(*THREE, cap=1, stop=StopRule.STOP))
    drive.do(WorkspaceFailed(at=1.0, job=key("1"), reason="locked", locked_by="another"))
    drive.run("2")
    drive.run("3")
    assert drive.ends == {"1": JobStatus.LOCKED, "2": P, "3": P}


def test_a_locked_job_stops_a_chain() -> None:
    """RUN-5: nothing could start from its branch."""
    drive = Drive(plan(*THREE, cap=1, stop=StopRule.CHAIN))
    drive.do(WorkspaceFailed(at=1.0, job=key("1"), reason="locked", locked_by="another"))
    assert drive.ends == {"1": JobStatus.LOCKED, "2": JobStatus.NOT_RUN, "3": JobStatus.NOT_RUN}


def test_each_of_a_chain_starts_where_the_one_before_ended() -> None:
    """RUN-5: at its branch alone, without the base; a finished one gives its branch too."""
    drive = Drive(plan(job("1", finished="before"), job("2", "1"), job("3", "2"), cap=1, stop=StopRule.CHAIN))
    drive.run("2")
    starts = [c for c in drive.commands if isinstance(c, PrepareWorkspace)]
    assert [(c.starts_from, c.onto_base) for c in starts] == [(("weft/1",), False), (("weft/2",), False)]


def test_fail_fast_stops_what_runs() -> None:
    """The first failure cancels the others and starts nobody."""
    drive = Drive(plan(*THREE, cap=2, stop=StopRule.FAIL_FAST))
    drive.ready("1", "2")
    drive.session("1", failed())
    drive.closed("1")
    drive.session("2", failed(FailureClass.KILLED))
    drive.closed("2")
    assert drive.ends == {"1": JobStatus.FAILED, "2": JobStatus.CANCELLED, "3": JobStatus.NOT_RUN}


@pytest.mark.parametrize("rule", list(StopRule))
def test_a_plan_without_jobs_is_over_at_once(rule: StopRule) -> None:
    """Nothing to do is done."""
    assert Drive(plan(stop=rule)).state.over


def test_a_workspace_that_cannot_be_made_fails_its_job_alone() -> None:
    """RUN-6: with the reason; the others go on."""
    drive = Drive(plan(*THREE, cap=1))
    drive.do(WorkspaceFailed(at=1.0, job=key("1"), reason="disk full"))
    drive.run("2")
    assert drive.ends == {"1": JobStatus.FAILED, "2": P}
    assert drive.reason("1") == "Workspace failed"


def test_a_workspace_that_cannot_be_put_away_is_no_success() -> None:
    """What could not be checked to be whole is not called passed."""
    drive = Drive(plan(job("1")))
    drive.ready("1")
    drive.session("1")
    drive.closed("1", "git said no")
    assert drive.ends == {"1": JobStatus.FAILED}
