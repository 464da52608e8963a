"""A job's way through its pipeline (RUN-8, RUN-9)."""

from __future__ import annotations

import pytest
from tests.unit.scheduler.drive import GOOD, RED, REJECTED, SESSION, Drive, failed, job, key, pipeline, plan

from weft.errors import DefectError
from weft.model.commands import Keep
from weft.model.events import GatesEnded, RunStarted, SessionEnded, WorkspaceReady
from weft.model.ids import AttemptId, RunId
from weft.model.job import JobStatus
from weft.model.outcome import Failure, SessionOutcome, Verdict
from weft.model.phase import FailureClass, Phase, RetryPolicy, StepKind
from weft.scheduler.progress import NO_VERDICT

SPEC = Phase("spec", SESSION, retry=RetryPolicy((FailureClass.TRANSIENT, FailureClass.RATE_LIMITED), times=1))
NOT_FINAL = (FailureClass.LOST, FailureClass.CHECKPOINT, FailureClass.QUESTION)
EXEC = Phase("exec", SESSION, writes=True)
QA = Phase("qa", (StepKind.GATES, StepKind.SESSION), verdict=True, mends="exec")


def started(*phases: Phase, quality_loop: int = 3) -> Drive:
    drive = Drive(plan(job("1"), pipelines=pipeline(*phases, quality_loop=quality_loop)))
    drive.ready("1")
    return drive


def test_phases_follow_each_other_and_later_ones_see_what_earlier_ones_said() -> None:
    """RUN-7: spec → exec → qa."""
    drive = started(SPEC, EXEC, QA)
    drive.session("1", SessionOutcome(text="the plan"))
    drive.session("1", SessionOutcome(text="done"))
    drive.gates("1")
    drive.session("1")
    drive.closed("1")
    assert drive.sessions[-1].outputs == (("spec", "the plan"), ("exec", "done"))
    assert drive.phases == ["spec passed", "exec passed", "qa passed"]
    assert drive.ends == {"1": JobStatus.PASSED}


def test_red_gates_send_the_work_back_with_their_output() -> None:
    """RUN-8: exec again, with the findings; then the gates again."""
    drive = started(EXEC, QA)
    drive.session("1")
    drive.gates("1", *RED)
    assert drive.sessions[-1].attempt.phase == "exec"
    assert "1 failed" in drive.sessions[-1].findings[0]
    drive.session("1")
    assert [command.attempt.number for command in drive.gate_runs] == [1, 2]


@pytest.mark.parametrize(
    ("verdict", "finding"),
    [
        (Verdict(False, ("no test",)), "no test"),
        (Verdict(False), "The review did not approve and named no finding"),
        (None, NO_VERDICT),
    ],
)
def test_a_review_that_does_not_approve_sends_the_work_back(verdict: Verdict | None, finding: str) -> None:
    """RUN-8: what is no valid verdict is not approved."""
    drive = started(EXEC, QA)
    drive.session("1")
    drive.gates("1")
    drive.session("1", SessionOutcome(verdict=verdict))
    assert drive.sessions[-1].findings == (finding,)


@pytest.mark.parametrize("loops", [0, 1, 3])
def test_the_quality_loop_turns_so_often_and_then_the_job_fails(loops: int) -> None:
    """RUN-8: at most `quality_loop` times; 0 is never."""
    drive = started(EXEC, QA, quality_loop=loops)
    for _ in range(loops + 1):
        drive.session("1")
        drive.gates("1", *RED)
    drive.closed("1")
    assert drive.ends == {"1": JobStatus.FAILED}
    assert drive.reason("1") == "Phase qa failed"
    assert drive.phases.count("qa failed") == loops + 1


def test_a_review_that_changed_the_tree_has_it_checked_again() -> None:
    """RUN-8: after any change the gates run again, in the same attempt."""
    drive = started(EXEC, QA)
    drive.session("1")
    drive.gates("1")
    drive.session("1", SessionOutcome(verdict=Verdict(True), changed=True, commit="c2"))
    assert [(command.attempt.number, command.first) for command in drive.gate_runs] == [(1, True), (1, False)]
    drive.gates("1")
    drive.closed("1")
    assert drive.ends == {"1": JobStatus.PASSED}


def test_an_empty_diff_is_no_change() -> None:
    """RUN-20: never called passed; its workspace is kept."""
    drive = started(EXEC, QA)
    drive.session("1", SessionOutcome(empty=True))
    drive.closed("1")
    assert drive.ends == {"1": JobStatus.NO_CHANGE}
    assert drive.closings[0].keep is Keep.KEEP


def test_a_transient_failure_is_tried_again_once_after_its_time() -> None:
    """RUN-9: after 5 s, as a new attempt, in a workspace brought back; a second one is final."""
    drive = started(SPEC, EXEC)
    drive.session("1", failed(FailureClass.TRANSIENT))
    assert drive.wakes == [drive.now + 5]
    drive.tick(4.9)
    assert drive.prepared == ["1"]
    drive.tick(0.1)
    drive.ready("1")
    drive.session("1", failed(FailureClass.TRANSIENT))
    drive.closed("1")
    assert drive.phases == ["spec retrying", "spec failed"]
    assert drive.ends == {"1": JobStatus.FAILED}


def test_a_limit_that_says_when_it_resets_is_waited_for() -> None:
    """RUN-9: no earlier than the provider allows."""
    drive = started(SPEC)
    drive.session("1", failed(FailureClass.RATE_LIMITED, resets_at=drive.now + 300))
    assert drive.wakes == [drive.now + 300]


def test_the_wait_grows_with_each_try() -> None:
    """RUN-9: the policy's back-off, times its factor."""
    patient = Phase("spec", SESSION, retry=RetryPolicy((FailureClass.TRANSIENT,), times=3, backoff=2.0, factor=3.0))
    drive = started(patient)
    waits = []
    for _ in range(3):
        drive.session("1", failed(FailureClass.TRANSIENT))
        waits.append(drive.wakes[-1] - drive.now)
        drive.tick(waits[-1])
        drive.ready("1")
    assert waits == [2.0, 6.0, 18.0]


@pytest.mark.parametrize("kind", sorted(set(FailureClass) - {*SPEC.retry.classes, *NOT_FINAL}, key=str))
def test_a_failure_that_the_policy_does_not_name_is_final(kind: FailureClass) -> None:
    """RUN-9: a failure of the work is never retried as if it were transient."""
    drive = started(SPEC)
    drive.session("1", failed(kind))
    drive.closed("1")
    assert drive.ends == {"1": JobStatus.FAILED}
    assert drive.wakes == []


def test_each_phase_has_its_own_tries() -> None:
    """RUN-9: what one phase used up, the next has still."""
    drive = started(SPEC, Phase("exec", SESSION, retry=SPEC.retry))
    for _ in range(2):
        drive.session("1", failed(FailureClass.TRANSIENT))
        drive.tick(5)
        drive.ready("1")
        drive.session("1")
    drive.closed("1")
    assert drive.ends == {"1": JobStatus.PASSED}


def test_gates_that_could_not_be_run_are_a_failure_not_a_pass() -> None:
    """Nothing is claimed that was not checked."""
    drive = started(Phase("qa", (StepKind.GATES,)))
    attempt = AttemptId(RunId("r-1"), key("1"), "qa", 1)
    drive.do(GatesEnded(at=1.0, attempt=attempt, failure=Failure(FailureClass.SETUP, "no such program")))
    drive.closed("1")
    assert drive.ends == {"1": JobStatus.FAILED}


def test_a_phase_that_mends_nothing_fails_the_job_at_once() -> None:
    """There is nobody to send it back to."""
    drive = started(Phase("review", SESSION, verdict=True))
    drive.session("1", REJECTED)
    drive.closed("1")
    assert drive.ends == {"1": JobStatus.FAILED}


def test_a_passed_jobs_workspace_may_go_if_it_is_clean() -> None:
    """RUN-14: its branch stays."""
    drive = started(EXEC)
    drive.session("1")
    assert drive.closings[0].keep is Keep.REMOVE_IF_CLEAN


def test_answers_that_nobody_waits_for_change_nothing() -> None:
    """Late ones, double ones, those of an attempt that is over."""
    drive = started(EXEC, QA)
    late = SessionEnded(at=1.0, attempt=drive.sessions[0].attempt, outcome=GOOD)
    drive.session("1")
    before = drive.state.snapshot()
    assert drive.do(late) == []
    assert drive.do(WorkspaceReady(at=1.0, job=key("1"), path="/w")) == []
    assert drive.state.snapshot() == before


def test_an_event_about_a_job_that_is_not_part_of_the_run_is_a_defect() -> None:
    """It is named."""
    with pytest.raises(DefectError, match="shop#77, which is not part of run r-1"):
        started(EXEC).ready("77")


def test_a_run_is_started_once() -> None:
    """A second start would forget what runs."""
    drive = started(EXEC)
    with pytest.raises(DefectError, match="started twice"):
        drive.do(RunStarted(at=1.0, plan=plan()))
