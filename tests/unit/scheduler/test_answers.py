"""Jobs that ask, and go on with what a person answers (UI-4)."""

from __future__ import annotations

import pytest
from tests.unit.scheduler.drive import RED, SESSION, Drive, failed, job, key, pipeline, plan

from weft.model.commands import PrepareWorkspace
from weft.model.events import AnswerGiven, JobEnded
from weft.model.job import JobStatus
from weft.model.outcome import SessionOutcome
from weft.model.phase import FailureClass, Phase, RetryPolicy, StepKind

NEVER = RetryPolicy((FailureClass.QUESTION,), times=5)
SPEC = Phase("spec", SESSION, agent="mine")
EXEC = Phase("exec", SESSION, agent="mine", writes=True, retry=NEVER)
QA = Phase("qa", (StepKind.GATES, StepKind.SESSION), agent="mine", verdict=True, mends="exec")
ASKS = failed(FailureClass.QUESTION)


def asked(*phases: Phase, quality_loop: int = 3) -> Drive:
    """A run of two: the second holds it open, a third waits for the first."""
    drive = Drive(plan(job("1"), job("2"), job("3", "1"), pipelines=pipeline(*phases, quality_loop=quality_loop)))
    drive.ready("1")
    return drive


def answer(drive: Drive, name: str = "1", text: str = "blue") -> None:
    drive.do(AnswerGiven(at=drive.now, job=key(name), text=text))


def ends(drive: Drive) -> dict[str, str | None]:
    return {note.job.id: note.reason for note in drive.notes if isinstance(note, JobEnded)}


def test_a_question_is_never_tried_again() -> None:
    """UI-4: whatever the phase's `retry` says; the question is the reason, and those behind it are parked."""
    drive = asked(EXEC)
    drive.session("1", ASKS)
    drive.closed("1")
    assert ends(drive) == {"1": "asks: it said no", "3": "unmet dependency shop#1"}
    assert len(drive.sessions) == 1


def test_an_answer_goes_on_at_the_phase_that_asked() -> None:
    """With the commit that was reached, what earlier phases said, and the answer; those behind it wait again."""
    drive = asked(SPEC, EXEC)
    drive.session("1", SessionOutcome(text="the plan", commit="c" * 40))
    drive.session("1", ASKS)
    drive.closed("1")
    answer(drive)
    assert drive.state.jobs[key("3")].status is None
    assert drive.commands[-1] == PrepareWorkspace(key("1"), head="c" * 40)
    drive.ready("1")
    session = drive.sessions[-1]
    assert (session.attempt.phase, session.attempt.number) == ("exec", 2)
    assert session.outputs == (("spec", "the plan"),)
    assert session.answers == ("blue",)


def test_work_that_was_found_wanting_goes_back_to_its_author() -> None:
    """A check cannot do anything with an answer: the phase that mends gets it, with what was found."""
    drive = asked(EXEC, QA, quality_loop=0)
    drive.session("1", SessionOutcome(commit="c" * 40))
    drive.gates("1", *RED)
    drive.closed("1")
    answer(drive)
    drive.ready("1")
    session = drive.sessions[-1]
    assert session.attempt.phase == "exec"
    assert "1 failed" in session.findings[0]
    assert session.answers == ("blue",)


def test_without_a_commit_it_starts_from_its_first_phase() -> None:
    """What works in place has no commit to go on from."""
    drive = Drive(plan(job("1", branch=None), job("2"), pipelines=pipeline(SPEC, EXEC)))
    drive.session("1", SessionOutcome(text="the plan"))
    drive.session("1", ASKS)
    answer(drive)
    assert drive.sessions[-1].attempt.phase == "spec"
    assert drive.sessions[-1].answers == ("blue",)


def test_answers_add_up() -> None:
    """A second question does not make the first answer forgotten."""
    drive = asked(EXEC)
    for text in ("blue", "big"):
        drive.session("1", ASKS)
        drive.closed("1")
        answer(drive, text=text)
        drive.ready("1")
    assert drive.sessions[-1].answers == ("blue", "big")


@pytest.mark.parametrize("name", ["2", "3", "9"])
def test_who_is_not_stuck_takes_no_notice(name: str) -> None:
    """Jobs under way, jobs that wait, jobs that are not there."""
    drive = asked(EXEC)
    before = drive.state.snapshot()
    answer(drive, name)
    assert drive.state.snapshot() == before


def test_what_passed_takes_no_notice() -> None:
    """Nobody asked."""
    drive = asked(EXEC)
    drive.session("1", SessionOutcome(commit="c" * 40))
    drive.closed("1")
    answer(drive)
    assert drive.ends["1"] is JobStatus.PASSED
    assert drive.state.jobs[key("1")].answers == ()
