"""Which session an attempt goes on in (MERGE-4, RECOVER-3), and sessions that are ended at checkpoints (RECOVER-7)."""

from __future__ import annotations

import msgspec
from tests.unit.scheduler.drive import GOOD, REJECTED, SESSION, Drive, failed, job, key, pipeline, plan

from weft.model.commands import PrepareWorkspace
from weft.model.earlier import Earlier
from weft.model.events import CancelRequested, CutShort, RunResumed
from weft.model.job import JobStatus
from weft.model.outcome import Failure, SessionOutcome
from weft.model.phase import FailureClass, Phase, RetryPolicy, StepKind
from weft.model.usage import Usage

EXEC = Phase("exec", SESSION, agent="mine", writes=True, checkpoint=1800.0, resumes=True, recovers=True)
QA = Phase("qa", SESSION, agent="mine", verdict=True, mends="exec")
SPENT = Usage(100, 10, 0, None, 1)
DONE = SessionOutcome(session_id="s-1", usage=SPENT, commit="c1")
AT_CHECKPOINT = SessionOutcome(
    failure=Failure(FailureClass.CHECKPOINT, "ended at its checkpoint, after 30m"), text="half way", commit="w1"
)


def begun(*phases: Phase) -> Drive:
    drive = Drive(plan(job("1"), pipelines=pipeline(*phases)))
    drive.ready("1")
    return drive


def gone(message: str = "no such session") -> SessionOutcome:
    return SessionOutcome(failure=Failure(FailureClass.SETUP, message))


# ---------------------------------------------------------------- work that comes back


def test_work_that_comes_back_goes_to_its_author() -> None:
    """The quality loop goes on in exec's own session, with what was found; the review is always a new one."""
    drive = begun(EXEC, msgspec.structs.replace(QA, resumes=True))
    drive.session("1", DONE)
    drive.session("1", msgspec.structs.replace(REJECTED, session_id="q-1"))
    assert drive.sessions[-1].resume == Earlier("s-1", SPENT)
    assert drive.sessions[-1].findings == ("no test",)
    assert not drive.sessions[-1].interrupted
    drive.session("1", DONE)
    assert drive.sessions[-1].attempt.phase == "qa"
    assert drive.sessions[-1].resume is None


def test_usage_of_all_parts_is_handed_on() -> None:
    """Agents that count on over resumes are told the whole of what was counted before (AGENT-5)."""
    drive = begun(EXEC, QA)
    drive.session("1", DONE)
    drive.session("1", REJECTED)
    drive.session("1", DONE)
    drive.session("1", REJECTED)
    assert drive.sessions[-1].resume == Earlier("s-1", SPENT + SPENT)


def test_not_where_settings_say_no() -> None:
    """Without `run.resume_sessions` each attempt is a session of its own."""
    drive = begun(msgspec.structs.replace(EXEC, resumes=False), QA)
    drive.session("1", DONE)
    drive.session("1", REJECTED)
    assert drive.sessions[-1].resume is None


def test_an_agent_without_session_ids() -> None:
    """There is nothing to go on in."""
    drive = begun(EXEC, QA)
    drive.session("1", GOOD)
    drive.session("1", REJECTED)
    assert drive.sessions[-1].resume is None


def test_a_session_that_is_gone_is_replaced() -> None:
    """Its id unknown to the agent: a fresh session in a workspace brought back, which costs no retry and no pass."""
    drive = begun(EXEC, QA)
    drive.session("1", DONE)
    drive.session("1", REJECTED)
    drive.session("1", gone())
    assert drive.phases[-1] == "exec retrying"
    assert drive.ends == {}
    drive.ready("1")
    assert (drive.sessions[-1].resume, drive.sessions[-1].findings) == (None, ("no test",))
    drive.session("1", DONE)
    drive.session("1", GOOD)
    drive.closed("1")
    assert drive.ends == {"1": JobStatus.PASSED}


def test_a_fresh_session_that_cannot_start_fails() -> None:
    """Only once: what cannot be started at all is not tried for ever."""
    drive = begun(EXEC, QA)
    drive.session("1", DONE)
    drive.session("1", REJECTED)
    drive.session("1", gone())
    drive.ready("1")
    drive.session("1", gone("no such program"))
    drive.closed("1")
    assert drive.ends == {"1": JobStatus.FAILED}


def test_after_a_failure_a_retry_begins_anew() -> None:
    """What the failed session did is taken out of the workspace, so its memory of it would be wrong."""
    patient = msgspec.structs.replace(EXEC, retry=RetryPolicy((FailureClass.TRANSIENT,), times=1))
    drive = begun(patient, QA)
    drive.session("1", DONE)
    drive.session("1", REJECTED)
    drive.session("1", failed(FailureClass.TRANSIENT))
    drive.tick(10)
    drive.ready("1")
    assert (drive.sessions[-1].resume, drive.sessions[-1].findings) == (None, ("no test",))


# ---------------------------------------------------------------- checkpoints


def test_a_fresh_session_goes_on_from_the_commit() -> None:
    """At a checkpoint: the same phase again, at the commit, told what was said; it takes no retry (RECOVER-7)."""
    drive = begun(EXEC)
    drive.session("1", AT_CHECKPOINT)
    again = drive.sessions[-1]
    assert (again.attempt.number, again.head, again.continues, again.resume) == (2, "w1", "half way", None)
    assert drive.phases == ["exec continued"]
    assert drive.prepared == ["1"], "the workspace is as the session left it"
    drive.session("1", DONE)
    drive.closed("1")
    assert drive.ends == {"1": JobStatus.PASSED}


def test_stuck_after_three() -> None:
    """Three in a row without a result: the job is parked as stuck, and its work is kept (RECOVER-7)."""
    drive = begun(EXEC)
    for _ in range(3):
        drive.session("1", AT_CHECKPOINT)
    drive.closed("1")
    assert len(drive.sessions) == 3
    assert drive.ends == {"1": JobStatus.PARKED}
    assert drive.reason("1") == "stuck: 3 sessions of 30m without a result"
    assert drive.phases == ["exec continued", "exec continued", "exec failed"]


def test_a_result_begins_the_count_anew() -> None:
    """Two checkpoints, a result that is found wanting, two more: not stuck, and the second round says nothing old."""
    drive = begun(EXEC, QA)
    drive.session("1", AT_CHECKPOINT)
    drive.session("1", AT_CHECKPOINT)
    drive.session("1", DONE)
    drive.session("1", REJECTED)
    assert drive.sessions[-1].continues is None
    drive.session("1", AT_CHECKPOINT)
    drive.session("1", AT_CHECKPOINT)
    assert drive.ends == {}
    assert drive.sessions[-1].findings == ("no test",), "what is to be mended is told to each"


def test_a_crash_between_two_sessions() -> None:
    """What was committed at the checkpoint stays, and so does the note of it (RECOVER-3)."""
    drive = begun(EXEC)
    drive.session("1", AT_CHECKPOINT)
    drive.do(RunResumed(at=drive.now))
    ordered = [command for command in drive.commands if isinstance(command, PrepareWorkspace)]
    assert ordered[-1].head == "w1"
    drive.ready("1")
    assert drive.sessions[-1].continues == "half way"


def test_cancelled_at_a_checkpoint() -> None:
    """Who was told to end does not go on."""
    drive = begun(EXEC)
    drive.do(CancelRequested(at=drive.now, job=key("1")))
    drive.session("1", AT_CHECKPOINT)
    drive.closed("1")
    assert drive.ends == {"1": JobStatus.CANCELLED}


# ---------------------------------------------------------------- crashes


def resumed(drive: Drive, session: str = "s-7") -> list[object]:
    attempt = drive.state.jobs[key("1")].attempt
    assert attempt is not None
    return list(drive.do(RunResumed(at=drive.now, cut_short=(CutShort(attempt, session),))))


def test_cut_short_and_gone_on_with() -> None:
    """The workspace is taken up as it is: nothing is prepared, a new attempt goes on in the session (RECOVER-3)."""
    drive = begun(EXEC)
    orders = resumed(drive)
    assert not [order for order in orders if isinstance(order, PrepareWorkspace)]
    again = drive.sessions[-1]
    assert (again.attempt.number, again.resume, again.interrupted) == (2, Earlier("s-7"), True)
    assert drive.phases == ["exec lost"]


def test_cut_short_while_mending() -> None:
    """What the session had used before that pass was counted; what it used since is not yet (AGENT-5)."""
    drive = begun(EXEC, QA)
    drive.session("1", DONE)
    drive.session("1", REJECTED)
    resumed(drive, "s-1")
    again = drive.sessions[-1]
    assert (again.resume, again.interrupted, again.findings) == (Earlier("s-1", SPENT), True, ("no test",))


def test_gates_before_the_session() -> None:
    """They would clear away what the session had begun: it starts clean, and that is saved."""
    drive = begun(msgspec.structs.replace(EXEC, steps=(StepKind.GATES, StepKind.SESSION)))
    drive.gates("1")
    assert [type(order) for order in resumed(drive)][-1] is PrepareWorkspace


def test_cut_short_on_the_way_to_its_end() -> None:
    """A job that was being cancelled is not started again."""
    drive = begun(EXEC)
    drive.do(CancelRequested(at=drive.now, job=key("1")))
    assert [type(order) for order in resumed(drive)][-1] is PrepareWorkspace
    drive.ready("1")
    drive.closed("1")
    assert drive.ends == {"1": JobStatus.CANCELLED}


def test_cut_short_and_then_gone() -> None:
    """The agent does not know the session after all: the workspace is brought back, and the phase starts clean."""
    drive = begun(EXEC)
    resumed(drive)
    drive.session("1", gone())
    assert drive.prepared == ["1", "1"]
    drive.ready("1")
    assert (drive.sessions[-1].resume, drive.sessions[-1].interrupted) == (None, False)
