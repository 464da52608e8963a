"""Why a job is not running, in one sentence."""

from __future__ import annotations

from tests.unit.scheduler.drive import SESSION, Drive, failed, job, key, pipeline, plan

from weft.model.events import GovernorCapSet, PauseSet
from weft.model.phase import FailureClass, Phase, RetryPolicy, StepKind
from weft.scheduler.why import why


def said(drive: Drive, name: str) -> str:
    return why(drive.state, key(name))


def test_it_names_the_dependencies_that_are_not_done() -> None:
    """Those that are done are not named."""
    drive = Drive(plan(job("1"), job("2"), job("3", "1", "2")))
    drive.run("1")
    assert said(drive, "3") == "waits for shop#2 (preparing)"


def test_it_names_the_lane_and_who_holds_it() -> None:
    """With its width."""
    assert said(Drive(plan(job("1"), job("2"), width=1)), "2") == "waits for its lane `shop` (width 1), held by shop#1"


def test_it_names_the_cap_and_who_has_the_slots() -> None:
    """The user's, or the governor's with its reason."""
    drive = Drive(plan(job("1"), job("2"), cap=1))
    assert said(drive, "2") == "waits for a slot: the cap is 1, taken by shop#1"
    drive.do(GovernorCapSet(at=1.0, cap=0, why="usage 80 %"))
    assert said(drive, "2") == "waits for a slot: the governor allows 0 (usage 80 %), taken by shop#1"


def test_it_says_that_the_run_is_paused() -> None:
    """And what lifts it."""
    drive = Drive(plan(job("1"), job("2"), cap=1))
    drive.do(PauseSet(at=1.0, paused=True))
    assert said(drive, "2") == "waits for a slot: the run is paused (`weft resume` lifts it)"


def test_it_names_the_agent_that_is_full() -> None:
    """With its limit."""
    drive = Drive(plan(job("1"), job("2"), sessions=1))
    drive.ready("1", "2")
    assert said(drive, "2") == "waits for a session of agent `mine` to end (max_sessions = 1)"


def test_it_says_what_a_running_job_does() -> None:
    """From its workspace to its end."""
    drive = Drive(plan(job("1"), pipelines=pipeline(Phase("qa", (StepKind.GATES, StepKind.SESSION), agent="mine"))))
    sentences = [said(drive, "1")]
    drive.ready("1")
    sentences.append(said(drive, "1"))
    drive.gates("1")
    sentences.append(said(drive, "1"))
    drive.session("1")
    sentences.append(said(drive, "1"))
    drive.closed("1")
    sentences.append(said(drive, "1"))
    assert sentences == [
        "its workspace is being made",
        "is running: the gates of phase qa, attempt 1",
        "is running: phase qa, attempt 1",
        "is ending: its workspace is being put away",
        "has ended: passed",
    ]


def test_it_says_that_a_retry_waits_for_its_time_and_then_for_a_slot() -> None:
    """A job between two tries."""
    patient = Phase("work", SESSION, retry=RetryPolicy((FailureClass.TRANSIENT,), times=1))
    drive = Drive(plan(job("1"), job("2"), cap=1, pipelines=pipeline(patient)))
    drive.ready("1")
    drive.session("1", failed(FailureClass.TRANSIENT))
    assert said(drive, "1") == "tries phase work again at its retry time"
    drive.tick(5)
    assert said(drive, "1") == "goes on as soon as there is a slot: the cap is 1, taken by shop#2"


def test_it_says_how_an_ended_job_ended() -> None:
    """With the reason."""
    drive = Drive(plan(job("1"), job("2", "1")))
    drive.run("1", failed())
    assert said(drive, "1") == "has ended: failed: Phase work failed"
    assert said(drive, "2") == "has ended: parked: unmet dependency shop#1"
