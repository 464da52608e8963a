"""Pull requests as steps of the scheduler: of jobs, and of a wave's repos."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.scheduler.drive import GOOD, RUN, Drive, failed, job, key, plan

from weft.model import commands as c
from weft.model import events as e
from weft.model.ids import RunId
from weft.model.job import JobStatus, PassedBefore, PullRequestRef
from weft.model.outcome import SessionOutcome
from weft.model.plan import MergeInto, PublishTo, Repo, StopRule
from weft.scheduler.invariants import check_invariants
from weft.scheduler.state import State
from weft.scheduler.states import JobState
from weft.scheduler.step import replay, step
from weft.scheduler.why import why

TO = PublishTo("acme/shop", "https://api.github.com", "https://github.com/acme/shop", "main")
REPO = Repo("shop", "/shop", publish=TO)
WAVE = Repo("shop", "/shop", publish=TO, merge=MergeInto("weft/m1"))
MADE = PullRequestRef(623, "https://github.com/acme/shop/pull/623")
WROTE = SessionOutcome(verdict=GOOD.verdict, commit="c1", changed=True)


def passed(*names: str, **more: Any) -> Drive:
    """Jobs whose last phase has just passed."""
    drive = Drive(plan(*(job(name) for name in names), repos=(REPO,), **more))
    for name in names:
        drive.ready(name)
        drive.session(name, WROTE)
    return drive


def published(drive: Drive, name: str, made: PullRequestRef | None = MADE, problem: str | None = None) -> None:
    attempt = drive.state.jobs[key(name)].attempt
    assert attempt is not None
    drive.do(e.PublishEnded(at=drive.now, attempt=attempt, pull_request=made, problem=problem))


def ends(drive: Drive) -> list[e.JobEnded]:
    notes = [command.note for command in drive.commands if isinstance(command, c.WriteNote)]
    return [note for note in notes if isinstance(note, e.JobEnded)]


def orders(drive: Drive) -> list[c.Publish]:
    return [command for command in drive.commands if isinstance(command, c.Publish)]


def test_it_gives_up_its_slot_and_keeps_its_lane() -> None:
    """A job whose pull request is being made leaves its slot to another; its attempt is of the phase `publish`."""
    drive = passed("1")
    state = drive.state.jobs[key("1")]
    assert (state.state, drive.state.in_flight, state.lane.used) == (JobState.PUBLISHING, 0, 1)
    (order,) = orders(drive)
    assert (order.attempt.phase, order.commit, order.base) == ("publish", "c1", "main")
    assert "pull request" in why(drive.state, key("1"))
    published(drive, "1")
    drive.closed("1")
    (end,) = ends(drive)
    assert (end.status, end.pull_request, end.unpublished) == (JobStatus.PASSED, MADE, False)
    assert drive.state.over


def test_a_failure_is_the_jobs_failure() -> None:
    """The reason says what failed; the end says that the work itself is whole."""
    drive = passed("1")
    published(drive, "1", None, "GitHub said no")
    drive.closed("1")
    (end,) = ends(drive)
    assert (end.status, end.reason, end.detail) == (JobStatus.FAILED, "pull request failed", "GitHub said no")
    assert end.unpublished
    assert end.commit == "c1"


def test_a_retry_takes_up_where_it_failed() -> None:
    """No workspace, no session: it is pushed and asked for again."""
    drive = passed("1", "2")
    published(drive, "1", None, "GitHub said no")
    drive.closed("1")
    before = len(drive.commands)
    drive.do(e.RetryRequested(at=drive.now, job=key("1")))
    new = [command for command in drive.commands[before:] if not isinstance(command, c.WriteNote)]
    assert [type(command) for command in new] == [c.Publish]
    published(drive, "1")
    assert drive.state.jobs[key("1")].status is JobStatus.PASSED


def test_an_answer_that_is_not_its_own_counts_for_nothing() -> None:
    """Told again, or too late."""
    drive = passed("1")
    (order,) = orders(drive)
    published(drive, "1", None, "GitHub said no")
    drive.do(e.PublishEnded(at=drive.now, attempt=order.attempt, pull_request=MADE))
    drive.closed("1")
    drive.do(e.PublishEnded(at=drive.now, attempt=order.attempt, pull_request=MADE))
    assert [end.status for end in ends(drive)] == [JobStatus.FAILED]


def test_work_of_an_earlier_run() -> None:
    """Where all phases passed before only the pull request is made; the end names the run that did the work."""
    before = PassedBefore(RunId("r-0"), "c9")
    drive = Drive(plan(job("1", passed=before), repos=(REPO,)))
    (order,) = orders(drive)
    assert order.commit == "c9"
    assert not any(isinstance(command, c.PrepareWorkspace | c.RunSession) for command in drive.commands)
    published(drive, "1")
    (end,) = ends(drive)
    assert (end.status, end.passed_in, end.commit) == (JobStatus.PASSED, "r-0", "c9")


def test_what_is_cancelled_before_it_began_stays_unpublished() -> None:
    """The next run still knows that nothing but the pull request is missing."""
    drive = Drive(plan(job("0"), job("1", "0", passed=PassedBefore(RunId("r-0"), "c9")), repos=(REPO,)))
    drive.do(e.CancelRequested(at=drive.now, job=key("1")))
    (end,) = ends(drive)
    assert (end.status, end.unpublished, end.commit) == (JobStatus.CANCELLED, True, "c9")


def test_a_chain_stacks_them() -> None:
    """RUN-5: each goes to the branch before it; one that is merged and has none leaves the base."""
    done = job("1", finished="before", branch=None)
    drive = Drive(plan(done, job("2", "1"), job("3", "2"), repos=(REPO,), stop=StopRule.CHAIN, cap=1))
    for name in ("2", "3"):
        drive.ready(name)
        drive.session(name, WROTE)
        published(drive, name)
        drive.closed(name)
    assert [order.base for order in orders(drive)] == ["main", "weft/2"]


def test_a_stop_does_not_wait_for_the_tracker() -> None:
    """RUN-14: the step is stopped; if it had come to its end just then, that counts."""
    for made, status in ((None, JobStatus.CANCELLED), (MADE, JobStatus.PASSED)):
        drive = passed("1")
        stops = drive.do(e.StopRequested(at=drive.now, signal=2))
        assert [type(command) for command in stops] == [c.StopAttempt]
        published(drive, "1", made, None if made else "stopped")
        drive.closed("1")
        assert ends(drive)[0].status is status


# ---------------------------------------------------------------- hand-offs


def wave(*names: str) -> Drive:
    return Drive(plan(*(job(name) for name in names), repos=(WAVE,), width=1))


def landed(drive: Drive, name: str) -> None:
    drive.ready(name)
    drive.session(name, WROTE)
    _merge_all(drive)
    drive.closed(name)


def _merge_all(drive: Drive) -> None:
    """Answer what the queue wants until it rests."""
    done = 0
    while done < len(drive.commands):
        command = drive.commands[done]
        done += 1
        at = drive.now
        match command:
            case c.ReadTarget(repo=repo) if drive.state.queues[repo].reading:
                drive.do(e.TargetRead(at=at, repo=repo, tip="t0"))
            case c.MakeMerge(attempt=attempt, onto=onto):
                drive.do(e.MergeMade(at=at, attempt=attempt, onto=onto, commit=f"m{attempt.job.id}"))
            case c.GateMerge(attempt=attempt, commit=commit):
                drive.do(e.MergeGated(at=at, attempt=attempt, commit=commit))
            case c.Land(attempt=attempt, commit=commit):
                drive.do(e.LandingEnded(at=at, attempt=attempt, commit=commit, landed=True, tip=commit))


def handoffs(drive: Drive) -> list[c.HandOff]:
    return [command for command in drive.commands if isinstance(command, c.HandOff)]


def test_the_run_ends_after_its_hand_off() -> None:
    """WAVE-11: one per repo, once all of its jobs have ended; the run is over with its answer."""
    drive = wave("1", "2")
    landed(drive, "1")
    assert not handoffs(drive)
    landed(drive, "2")
    (order,) = handoffs(drive)
    assert not drive.state.over
    drive.do(e.HandoffEnded(at=drive.now, repo="shop", number=order.number, pull_request=MADE))
    assert drive.state.over
    assert not orders(drive), "with a queue no job has a pull request of its own"


def test_nothing_landed() -> None:
    """Then there is nothing to hand over, and the run ends."""
    drive = wave("1")
    drive.ready("1")
    drive.session("1", failed())
    drive.closed("1")
    assert drive.state.over
    assert not handoffs(drive)


def test_a_job_that_is_tried_again_meanwhile() -> None:
    """What it lands is handed over too, by a second hand-off of the same repo."""
    drive = wave("1", "2")
    drive.ready("1")
    drive.session("1", failed())
    drive.closed("1")
    landed(drive, "2")
    assert [order.number for order in handoffs(drive)] == [1]
    drive.do(e.RetryRequested(at=drive.now, job=key("1")))
    landed(drive, "1")
    drive.do(e.HandoffEnded(at=drive.now, repo="shop", number=1, pull_request=MADE))
    assert [order.number for order in handoffs(drive)] == [1, 2]
    drive.do(e.HandoffEnded(at=drive.now, repo="shop", number=2, pull_request=MADE))
    assert drive.state.over


def test_a_stopped_run_hands_nothing_over() -> None:
    """Neither one that waits for its jobs, nor one that is under way."""
    drive = wave("1", "2")
    landed(drive, "1")
    drive.do(e.StopRequested(at=drive.now, signal=15))
    drive.do(e.WorkspaceFailed(at=drive.now, job=key("2"), reason="stopped"))
    assert drive.state.over
    assert not handoffs(drive)
    drive = wave("1")
    landed(drive, "1")
    stopped = drive.do(e.StopRequested(at=drive.now, signal=15))
    assert [type(command) for command in stopped] == [c.StopHandOff]
    drive.do(e.HandoffEnded(at=drive.now, repo="shop", number=1, problem="stopped"))
    assert drive.state.over


# ---------------------------------------------------------------- crashes


@pytest.mark.parametrize("repo", [REPO, WAVE], ids=["jobs", "wave"])
def test_a_crash_after_every_event(repo: Repo) -> None:
    """RECOVER-1: replayed and gone on with, the run ends the same, whatever was under way."""
    the_plan = plan(job("1"), job("2", "1"), repos=(repo,))
    whole = _driven([e.RunStarted(at=1.0, plan=the_plan)])
    for count in range(1, len(whole)):
        events = _driven([*whole[:count], e.RunResumed(at=1.0)])
        state, _ = replay(RUN, events)
        assert state.over
        assert [run.status for run in state.jobs.values()] == [JobStatus.PASSED] * 2
        assert [run.pull_request is not None for run in state.jobs.values()] == [repo is REPO] * 2
        assert [handoff.number for handoff in state.handoffs.values()] == ([1] if repo is WAVE else [])


def _driven(events: list[e.Input]) -> list[e.Input]:
    """All events to the run's end, each command answered well; only the last event's commands are under way."""
    state = State(RUN)
    for event in events[:-1]:
        step(state, event)
    pending = step(state, events[-1])
    done = list(events)
    while not state.over:
        answer = None
        while answer is None:
            answer = _answer(pending.pop(0))
        pending += step(state, answer)
        check_invariants(state)
        done.append(answer)
    return done


def _answer(command: c.Command) -> e.Input | None:
    match command:
        case c.PrepareWorkspace(job=name):
            return e.WorkspaceReady(at=1.0, job=name, path="/w", head="c0")
        case c.RunSession(attempt=attempt):
            return e.SessionEnded(at=1.0, attempt=attempt, outcome=WROTE)
        case c.CloseWorkspace(job=name):
            return e.WorkspaceClosed(at=1.0, job=name)
        case c.ReadTarget(repo=repo):
            return e.TargetRead(at=1.0, repo=repo, tip="t0")
        case c.MakeMerge(attempt=attempt, onto=onto):
            return e.MergeMade(at=1.0, attempt=attempt, onto=onto, commit=f"m{attempt.job.id}")
        case c.GateMerge(attempt=attempt, commit=commit):
            return e.MergeGated(at=1.0, attempt=attempt, commit=commit)
        case c.Land(attempt=attempt, commit=commit):
            return e.LandingEnded(at=1.0, attempt=attempt, commit=commit, landed=True, tip=commit)
        case c.Publish(attempt=attempt):
            return e.PublishEnded(at=1.0, attempt=attempt, pull_request=MADE)
        case c.HandOff(repo=repo, number=number):
            return e.HandoffEnded(at=1.0, repo=repo, number=number, pull_request=MADE)
        case _:
            return None
