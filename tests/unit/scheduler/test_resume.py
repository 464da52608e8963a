"""Going on with a run whose process died: resume or reset, job by job (RECOVER-3)."""

from __future__ import annotations

from tests.unit.scheduler.drive import SESSION, Drive, failed, job, pipeline, plan

from weft.model.commands import CloseWorkspace, PrepareWorkspace, RunSession, WakeAt, WriteNote
from weft.model.events import RunResumed
from weft.model.ids import AttemptId
from weft.model.phase import FailureClass, Phase, RetryPolicy, StepKind

GATED = Phase("qa", (StepKind.GATES, StepKind.SESSION), agent="mine")
PATIENT = Phase("work", SESSION, agent="mine", retry=RetryPolicy((FailureClass.TRANSIENT,), times=1))


def orders(drive: Drive, *finished: AttemptId) -> list[object]:
    commands = drive.do(RunResumed(at=drive.now, finished=finished))
    return [command for command in commands if not isinstance(command, WriteNote)]


def test_before_a_session_it_goes_on() -> None:
    """The workspace is made again."""
    drive = Drive(plan(job("1")))
    assert [type(order) for order in orders(drive)] == [PrepareWorkspace]


def test_in_the_middle_of_a_session_the_phase_starts_clean() -> None:
    """The workspace is brought back first; then a new attempt."""
    drive = Drive(plan(job("1")))
    drive.ready("1")
    assert [type(order) for order in orders(drive)] == [PrepareWorkspace]
    assert drive.phases == ["work lost"]
    drive.ready("1")
    assert drive.sessions[-1].attempt.number == 2


def test_a_session_that_had_ended_is_read_not_run_again() -> None:
    """RECOVER-1: nothing is paid for twice; the very same attempt is taken up."""
    drive = Drive(plan(job("1")))
    drive.ready("1")
    attempt = drive.sessions[0].attempt
    (taken_up,) = orders(drive, attempt)
    assert isinstance(taken_up, RunSession)
    assert (taken_up.attempt, taken_up.first) == (attempt, False)


def test_gates_run_again() -> None:
    """They cost nothing but time."""
    drive = Drive(plan(job("1"), pipelines=pipeline(GATED)))
    drive.ready("1")
    assert [type(order) for order in orders(drive)] == [PrepareWorkspace]
    drive.ready("1")
    assert [command.attempt.number for command in drive.gate_runs] == [1, 2]


def test_a_workspace_that_was_being_put_away_is_put_away() -> None:
    """The job's end was decided; it is not run again."""
    drive = Drive(plan(job("1")))
    drive.ready("1")
    drive.session("1")
    assert [type(order) for order in orders(drive)] == [CloseWorkspace]


def test_a_retry_keeps_its_time() -> None:
    """It is woken when it was due."""
    drive = Drive(plan(job("1"), pipelines=pipeline(PATIENT)))
    drive.ready("1")
    drive.session("1", failed(FailureClass.TRANSIENT))
    assert orders(drive) == [WakeAt(drive.now + 5)]


def test_a_job_that_waited_for_its_agent_starts_once() -> None:
    """The session that is lost makes room, and must not let another begin in a workspace that is being brought back."""
    drive = Drive(plan(job("1"), job("2"), sessions=1))
    drive.ready("1", "2")
    assert [type(order) for order in orders(drive)] == [PrepareWorkspace, PrepareWorkspace]
    drive.ready("2", "1")
    assert [command.attempt.job.id for command in drive.sessions] == ["1", "2"]
