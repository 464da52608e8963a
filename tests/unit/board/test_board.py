"""The fold of events into views."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.board.events_builder import RUN, START, Tale, job, key, plan

from weft.board.board import Board, fold
from weft.board.document import run_document, status_document
from weft.board.log import log_entry
from weft.board.states import JobProgress, PhaseState, RunStatus
from weft.board.views import RunView
from weft.errors import ExitCode
from weft.model.events import (
    AnyEvent,
    CapSet,
    GovernorCapSet,
    PauseSet,
    RetryRequested,
    RunStarted,
    SessionEnded,
    StopRequested,
    WorkspaceFailed,
    WorkspaceReady,
)
from weft.model.job import JobStatus
from weft.model.outcome import PhaseStatus, SessionOutcome
from weft.model.plan import Mode


def view_of(tale: Tale, *, alive: bool = True) -> RunView:
    return fold(RUN, tale.events, alive=alive)


def test_a_job_that_passes() -> None:
    """Status, phases, duration, branch, commit and usage come from the events alone."""
    view = fold(RUN, Tale("#1").whole("#1").over())
    one = view.jobs[key("#1")]
    assert one.status is JobStatus.PASSED
    assert [phase.state for phase in one.phases] == [PhaseState.PASSED] * 3
    assert one.duration == 180.0
    assert (one.branch, one.commit) == ("weft/1-title", "c-qa")
    assert one.usage.sessions == 3
    assert one.usage.cost_usd == 0.3
    assert one.workspace is None
    assert view.status is RunStatus.PASSED
    assert view.exit_code is ExitCode.OK


def test_before_anything_ran_all_wait() -> None:
    """A plan alone: every job waits, every phase is not run, nothing is claimed of branches."""
    view = view_of(Tale("#1", "#2"))
    assert (view.waiting, view.in_flight, view.ended) == (2, 0, 0)
    assert view.status is RunStatus.RUNNING
    assert view.exit_code is None
    assert {phase.state for one in view.jobs.values() for phase in one.phases} == {PhaseState.NOT_RUN}
    assert all(one.branch is None for one in view.jobs.values())


def test_the_current_attempt() -> None:
    """Phase, agent, model and attempt of what runs now are known."""
    view = view_of(Tale("#1").admit("#1").phase("#1", "spec").begin("#1", "exec", "codex", "o9"))
    one = view.jobs[key("#1")]
    assert one.current is one.phases[1]
    latest = one.phases[1].latest
    assert latest is not None
    assert (latest.agent, latest.model, latest.number, latest.status) == ("codex", "o9", 1, None)
    assert view.in_flight == 1


def test_the_quality_loop_counts_attempts() -> None:
    """RUN-8: a failed qa and the exec that mends it are attempts of their phases; durations add up."""
    tale = Tale("#1").admit("#1").phase("#1", "spec").phase("#1", "exec", 10)
    tale.begin("#1", "qa").wait(5).gates("#1", passed=False).finish("#1", "qa", PhaseStatus.FAILED)
    assert view_of(tale).jobs[key("#1")].failed_phase == "qa"
    tale.phase("#1", "exec", 20).phase("#1", "qa", 7).close("#1").end("#1")
    one = view_of(tale).jobs[key("#1")]
    assert [len(phase.attempts) for phase in one.phases] == [1, 2, 2]
    assert [phase.duration(0.0) for phase in one.phases] == [60.0, 30.0, 12.0]
    assert one.phases[2].attempts[0].gates[0].passed is False
    assert one.failed_phase is None


def test_a_retry_gives_up_the_slot_until_it_returns() -> None:
    """RUN-9: while a job waits for its retry it is not in flight, and it says when it is due."""
    tale = Tale("#1").admit("#1").begin("#1", "spec").wait(3)
    tale.finish("#1", "spec", PhaseStatus.RETRYING, "overloaded", tale.now + 5)
    view = view_of(tale)
    one = view.jobs[key("#1")]
    assert (view.in_flight, view.waiting) == (0, 1)
    assert one.retry_at == tale.now + 5
    assert one.phases[0].state is PhaseState.RETRYING
    tale.wait(5).add(WorkspaceReady(at=tale.now, job=key("#1"), path="/ws/1"))
    assert view_of(tale).in_flight == 1


def test_a_dead_process_makes_an_interrupted_run() -> None:
    """An unended run is running while its process lives, else interrupted, and so are its jobs in flight."""
    tale = Tale("#1", "#2").admit("#1").begin("#1", "spec")
    dead = view_of(tale, alive=False)
    assert dead.status is RunStatus.INTERRUPTED
    assert dead.progress(dead.jobs[key("#1")]) is JobProgress.INTERRUPTED
    assert dead.progress(dead.jobs[key("#2")]) is JobProgress.WAITING
    assert view_of(tale).status is RunStatus.RUNNING
    assert run_document(dead)["exit_code"] is None


def test_time_without_a_process_is_not_counted() -> None:
    """Durations leave out the stretch between a crash and going on."""
    tale = Tale("#1").admit("#1").begin("#1", "spec").wait(10).gates("#1", "spec")
    tale.wait(8 * 3600).resume().finish("#1", "spec", PhaseStatus.LOST)
    tale.phase("#1", "spec", 20).close("#1").end("#1")
    view = fold(RUN, tale.over())
    one = view.jobs[key("#1")]
    assert one.phases[0].duration(0.0) == 30.0
    assert len(one.phases[0].attempts) == 2
    assert one.duration == 30.0
    assert view.duration() == 30.0


def test_a_dead_run_stops_its_clock() -> None:
    """Of a run whose process is gone nothing is known after its last event."""
    tale = Tale("#1").admit("#1").begin("#1", "spec").wait(10).gates("#1", "spec")
    assert view_of(tale, alive=False).duration(tale.now + 1000) == 10.0
    assert view_of(tale).duration(tale.now + 1000) == 1010.0


def test_cap_pause_and_stop() -> None:
    """The smaller of the user's and the governor's cap holds; pause and a stop under way show."""
    tale = Tale("#1")
    tale.add(CapSet(at=START, cap=5), GovernorCapSet(at=START, cap=2, why="memory"), PauseSet(at=START, paused=True))
    view = view_of(tale)
    assert (view.cap, view.governor.why, view.paused) == (2, "memory", True)
    tale.add(GovernorCapSet(at=START, cap=None), PauseSet(at=START, paused=False), StopRequested(at=START, signal=2))
    view = view_of(tale)
    assert (view.cap, view.paused, view.stop_signal) == (5, False, 2)


def test_saved_refs_and_kept_workspaces() -> None:
    """Principle 2: every ref that holds saved work is remembered once, and the path of a kept workspace."""
    tale = Tale("#1").admit("#1")
    tale.add(WorkspaceFailed(at=START, job=key("#1"), reason="disk", saved=("refs/weft/saved/a",)))
    tale.close("#1", "/ws/1", ("refs/weft/saved/a", "refs/weft/saved/b"))
    one = view_of(tale).jobs[key("#1")]
    assert one.saved == ("refs/weft/saved/a", "refs/weft/saved/b")
    assert one.workspace == "/ws/1"


def test_what_a_session_left_that_was_not_to_write_is_named() -> None:
    """Principle 2: a ref that holds what a review changed is shown with the job, and in its log."""
    tale = Tale("#1").admit("#1").begin("#1", "spec")
    ended = SessionEnded(at=START, attempt=tale.attempt("#1", "spec"), outcome=SessionOutcome(saved=("refs/x",)))
    assert view_of(tale.add(ended)).jobs[key("#1")].saved == ("refs/x",)
    assert "refs/x" in log_entry(ended).text


def test_an_unmade_branch_is_not_claimed() -> None:
    """Principle 3: a job that never had a workspace has no branch; a finished one from before has."""
    tale = Tale("#1", "#2").end("#1", JobStatus.NOT_RUN, "stopped").end("#2", JobStatus.SKIPPED, "finished before")
    view = view_of(tale)
    assert view.jobs[key("#1")].branch is None
    assert view.jobs[key("#2")].branch == "weft/2-title"


def test_retry_opens_the_job_and_those_parked_behind_it() -> None:
    """A retried job waits again, with what was parked because of it; attempts before stay counted."""
    tale = Tale("#0")
    tale.events[0] = RunStarted(at=START, plan=plan(job("#1"), job("#2", "#1"), job("#3", "#2"), job("#4")))
    tale.failing("#1", "spec").end("#2", JobStatus.PARKED, "unmet dependency shop#1")
    tale.end("#3", JobStatus.PARKED, "unmet dependency shop#2").whole("#4")
    assert view_of(tale).counts == {JobStatus.FAILED: 1, JobStatus.PARKED: 2, JobStatus.PASSED: 1}
    tale.add(RetryRequested(at=tale.now, job=key("#1")), RetryRequested(at=tale.now, job=key("#4")))
    view = view_of(tale)
    assert view.counts == {JobStatus.PASSED: 1}
    assert view.waiting == 3
    tale.whole("#1")
    one = view_of(tale).jobs[key("#1")]
    assert one.status is JobStatus.PASSED
    assert len(one.phases[0].attempts) == 2


def test_a_retry_of_an_ended_run_changes_nothing() -> None:
    """The scheduler passes over a retry once the run is over, and so does the board."""
    tale = Tale("#1").failing("#1")
    tale.over()
    tale.add(RetryRequested(at=tale.now, job=key("#1")))
    assert view_of(tale).counts == {JobStatus.FAILED: 1}


def test_a_signal_makes_a_cancelled_run() -> None:
    """RUN-14: a run ended by Ctrl-C is cancelled, with exit code 130."""
    tale = Tale("#1").admit("#1").add(StopRequested(at=START, signal=2)).end("#1", JobStatus.CANCELLED)
    view = fold(RUN, tale.over(2))
    assert (view.status, view.exit_code) == (RunStatus.CANCELLED, ExitCode.INTERRUPTED)


def test_one_unknown_cost_makes_the_sum_unknown() -> None:
    """Principle 3: an unknown cost is never counted as zero."""
    tale = Tale("#1").admit("#1").phase("#1", "spec", cost=0.5).phase("#1", "exec", cost=None)
    view = view_of(tale)
    assert view.usage.cost_usd is None
    assert view.usage.sessions == 2


def test_events_of_unknown_jobs_are_passed_over() -> None:
    """Showing must never fail a run."""
    view = view_of(Tale("#1").whole("#9").failing("#8"))
    assert list(view.jobs) == [key("#1")]
    assert view.ended == 0


def test_labels_name_the_repo_only_where_there_are_several() -> None:
    """RUN-11: `#100` in one-repo runs, else `repo#100`."""
    assert view_of(Tale("#1", "#2")).label(key("#1")) == "#1"
    assert view_of(Tale("#1", "api#1")).label(key("#1")) == "shop#1"


def test_ten_thousand_jobs_cost_the_same_each() -> None:
    """The fold touches one job per event: no view is scanned, whatever the plan's size."""
    names = [f"#{number}" for number in range(10_000)]
    tale = Tale(*names)
    for name in names:
        tale.admit(name).end(name)
    view = view_of(tale)
    assert view.counts == {JobStatus.PASSED: 10_000}
    assert view.status is RunStatus.RUNNING


def busy_tale() -> list[AnyEvent]:
    tale = Tale("#1", "#2", "#3", "#4").whole("#1").admit("#2").begin("#2", "spec").wait(3)
    tale.finish("#2", "spec", PhaseStatus.RETRYING, "overloaded", tale.now + 5).failing("#3")
    tale.add(CapSet(at=tale.now, cap=1), PauseSet(at=tale.now, paused=True)).wait(1000).resume()
    tale.phase("#2", "spec").add(RetryRequested(at=tale.now, job=key("#3"))).whole("#3")
    tale.close("#2", "/ws/2", ("refs/weft/saved/x",)).end("#2", JobStatus.PARKED, "needs an answer")
    return tale.end("#4", JobStatus.NOT_RUN, "stopped").over()


@given(st.integers(0, len(busy_tale())), st.booleans())
def test_any_prefix_can_be_shown(length: int, alive: bool) -> None:
    """After a crash at any event the journal alone gives a consistent view and documents."""
    view = fold(RUN, busy_tale()[:length], alive=alive)
    assert view.in_flight + view.waiting + view.ended == len(view.jobs)
    assert sum(one.in_flight for one in view.jobs.values()) == view.in_flight
    assert all(not (one.in_flight and one.status) for one in view.jobs.values())
    document = status_document([view], view.last_at + 1)["runs"][0]
    assert document["duration_seconds"] >= 0


@given(st.lists(st.sampled_from(busy_tale()), max_size=30))
def test_events_in_any_order_never_fail_it(events: list[AnyEvent]) -> None:
    """Even a journal with holes is shown rather than refused."""
    board = Board(RUN)
    for event in events:
        board.apply(event)
    run_document(board.view)


def test_modes_with_one_job_at_a_time() -> None:
    """RUN-3: sequential, chain, single and a cap of 1 show more of each phase."""
    assert view_of(Tale("#1", "#2", mode=Mode.CHAIN, cap=1)).one_at_a_time
    assert view_of(Tale("#1", "#2", cap=1)).one_at_a_time
    assert not view_of(Tale("#1", "#2")).one_at_a_time
