"""Who starts, and when (WAVE-1 to 4, WAVE-7, WAVE-9)."""

from __future__ import annotations

from tests.unit.scheduler.drive import Drive, failed, job, key, pipeline, plan

from weft.model.commands import PrepareWorkspace
from weft.model.events import CancelRequested, CapSet, GovernorCapSet, PauseSet, RetryRequested, StopRequested
from weft.model.job import JobStatus
from weft.model.phase import FailureClass, Phase, RetryPolicy, StepKind
from weft.model.plan import Order


def test_a_repo_runs_one_job_at_a_time() -> None:
    """WAVE-1: lane width 1; the next starts when the last has ended."""
    drive = Drive(plan(job("1"), job("2"), width=1))
    assert drive.prepared == ["1"]
    drive.run("1")
    assert drive.prepared == ["1", "2"]


def test_a_slot_is_never_held_by_a_job_that_waits_for_its_lane() -> None:
    """WAVE-1: listed repo by repo, different repos still run at once."""
    drive = Drive(plan(job("1"), job("2"), job("api#1"), job("api#2"), width=1, cap=2))
    assert drive.prepared == ["1", "api#1"]


def test_the_cap_holds() -> None:
    """WAVE-7: at most cap jobs in flight."""
    drive = Drive(plan(*(job(str(n)) for n in range(6)), cap=3))
    assert drive.prepared == ["0", "1", "2"]
    drive.run("1")
    assert drive.prepared == ["0", "1", "2", "3"]


def test_a_job_starts_when_all_it_depends_on_are_done() -> None:
    """WAVE-3: across repos, at the base merged with the branches of its own repo."""
    drive = Drive(plan(job("1"), job("2"), job("3", "1", "2")))
    drive.run("1")
    assert drive.prepared == ["1", "2"]
    drive.run("2")
    start = next(c for c in drive.commands if isinstance(c, PrepareWorkspace) and c.job == key("3"))
    assert (start.starts_from, start.onto_base) == (("weft/1", "weft/2"), True)


def test_dependents_of_a_failed_job_are_parked_naming_it() -> None:
    """WAVE-3: and all behind them."""
    drive = Drive(plan(job("1"), job("2", "1"), job("3", "2")))
    drive.run("1", failed())
    assert drive.ends == {"1": JobStatus.FAILED, "2": JobStatus.PARKED, "3": JobStatus.PARKED}
    assert drive.reason("2") == "unmet dependency shop#1"
    assert drive.reason("3") == "unmet dependency shop#2"


def test_a_dependency_outside_the_run_that_is_not_done_parks_its_dependents() -> None:
    """WAVE-3: before anything runs; the others go on."""
    drive = Drive(plan(job("1", unmet="other#7"), job("2")))
    assert drive.ends == {"1": JobStatus.PARKED}
    assert drive.prepared == ["2"]


def test_a_finished_job_is_skipped_and_lets_its_dependents_start() -> None:
    """RUN-20: whatever the order they are listed in; each starts once."""
    for jobs in ((job("1", finished="before"), job("2", "1")), (job("2", "1"), job("1", finished="before"))):
        drive = Drive(plan(*jobs))
        assert drive.ends == {"1": JobStatus.SKIPPED}
        assert drive.prepared == ["2"]


def test_lowering_the_cap_stops_nobody_and_admits_fewer() -> None:
    """WAVE-4: 3 → 1."""
    drive = Drive(plan(*(job(str(n)) for n in range(5)), cap=3))
    drive.do(CapSet(at=1.0, cap=1))
    drive.run("0")
    drive.run("1")
    assert drive.prepared == ["0", "1", "2"]
    drive.run("2")
    assert drive.prepared == ["0", "1", "2", "3"]


def test_raising_the_cap_admits_at_once() -> None:
    """WAVE-4: 1 → 3."""
    drive = Drive(plan(*(job(str(n)) for n in range(5)), cap=1))
    drive.do(CapSet(at=1.0, cap=3))
    assert drive.prepared == ["0", "1", "2"]


def test_a_paused_run_admits_nobody() -> None:
    """WAVE-4: until it is resumed."""
    drive = Drive(plan(job("1"), job("2"), cap=1))
    drive.do(PauseSet(at=1.0, paused=True))
    drive.run("1")
    assert drive.prepared == ["1"]
    drive.do(PauseSet(at=2.0, paused=False))
    assert drive.prepared == ["1", "2"]


def test_the_smaller_of_the_two_caps_holds_and_resume_lifts_the_pause_alone() -> None:
    """WAVE-4: the user's and the governor's."""
    drive = Drive(plan(*(job(str(n)) for n in range(5)), cap=1))
    drive.do(GovernorCapSet(at=1.0, cap=2, why="usage 70 %"))
    drive.do(CapSet(at=1.0, cap=5))
    assert drive.prepared == ["0", "1"]
    drive.do(PauseSet(at=2.0, paused=True))
    drive.do(PauseSet(at=3.0, paused=False))
    assert drive.prepared == ["0", "1"]
    drive.do(GovernorCapSet(at=4.0, cap=None))
    assert drive.prepared == ["0", "1", "2", "3", "4"]


def test_the_longest_remaining_path_goes_first() -> None:
    """WAVE-9: 3 → 4 takes longer than 1 or 2."""
    jobs = (job("1", estimate=2.0), job("2", estimate=3.0), job("3", estimate=1.0), job("4", "3", estimate=9.0))
    assert Drive(plan(*jobs, cap=1)).prepared == ["3"]


def test_equal_paths_go_in_the_order_they_are_listed() -> None:
    """WAVE-9: never starvation."""
    drive = Drive(plan(*(job(str(n)) for n in range(4)), cap=1))
    for n in range(4):
        drive.run(str(n))
    assert drive.prepared == ["0", "1", "2", "3"]


def test_priority_goes_before_length() -> None:
    """The user's word counts for more than an estimate."""
    assert Drive(plan(job("1", estimate=9.0), job("2", priority=1), cap=1)).prepared == ["2"]


def test_as_listed_where_the_plan_says_so() -> None:
    """One after the other means in that order."""
    jobs = (job("1"), job("2", estimate=9.0))
    assert Drive(plan(*jobs, cap=1, order=Order.LISTED)).prepared == ["1"]


def test_a_job_that_comes_back_goes_before_new_ones_and_keeps_its_lane() -> None:
    """WAVE-1: while it waits for its retry it holds no slot, so another repo's job takes it."""
    phase = Phase("work", (StepKind.SESSION,), retry=RetryPolicy((FailureClass.TRANSIENT,), times=1))
    drive = Drive(plan(job("1"), job("2"), job("api#1"), job("api#2"), width=1, cap=1, pipelines=pipeline(phase)))
    drive.ready("1")
    drive.session("1", failed(FailureClass.TRANSIENT))
    assert drive.prepared == ["1", "api#1"]
    drive.tick(5)
    drive.run("api#1")
    assert drive.prepared == ["1", "api#1", "1"]


def test_an_agents_sessions_are_limited() -> None:
    """`max_sessions`: the next one begins when one ends."""
    drive = Drive(plan(job("1"), job("2"), sessions=1))
    drive.ready("1", "2")
    assert [command.attempt.job.id for command in drive.sessions] == ["1"]
    drive.session("1")
    assert [command.attempt.job.id for command in drive.sessions] == ["1", "2"]


def test_a_cancelled_job_frees_its_place_for_another() -> None:
    """Before it started, and while it waits for its agent."""
    drive = Drive(plan(job("1"), job("2"), job("3"), cap=2, sessions=1))
    drive.ready("1", "2")
    drive.do(CancelRequested(at=1.0, job=key("2")))
    drive.closed("2")
    assert drive.prepared == ["1", "2", "3"]
    assert drive.ends == {"2": JobStatus.CANCELLED}


def test_a_retried_job_revives_those_that_were_parked_behind_it() -> None:
    """Also where two of them wait for each other, whichever is revived first."""
    # 6 is parked because of 3; it waits for 5 too, which is further behind and revived after it.
    jobs = (job("1"), job("2", "1"), job("3", "1"), job("4", "2"), job("5", "4"), job("6", "3", "5"), job("9"))
    drive = Drive(plan(*jobs))
    drive.run("1", failed())
    assert drive.reason("6") == "unmet dependency shop#3"
    drive.do(RetryRequested(at=1.0, job=key("1")))
    for number in range(1, 7):
        drive.run(str(number))
    assert drive.ends == {str(number): JobStatus.PASSED for number in range(1, 7)}


def test_a_retry_does_not_revive_what_another_failure_holds() -> None:
    """It stays parked, naming the one that still stands in its way."""
    drive = Drive(plan(job("1"), job("2"), job("3", "1", "2"), job("9")))
    drive.run("1", failed())
    drive.run("2", failed())
    drive.do(RetryRequested(at=1.0, job=key("1")))
    drive.run("1")
    assert drive.ends["3"] is JobStatus.PARKED
    assert drive.reason("3") == "unmet dependency shop#2"


def test_what_comes_after_a_retried_job_still_waits_for_all_it_depends_on() -> None:
    """The end of the retried one is not counted twice."""
    drive = Drive(plan(job("1"), job("2"), job("3", "2", after=(key("1"),))))
    drive.run("1", failed())
    drive.do(RetryRequested(at=1.0, job=key("1")))
    drive.run("1")
    assert drive.prepared == ["1", "2", "1"]
    drive.run("2")
    assert drive.prepared == ["1", "2", "1", "3"]


def test_a_job_that_passed_is_not_run_again() -> None:
    """Nor one that was never part of the run."""
    drive = Drive(plan(job("1"), job("2")))
    drive.run("1")
    drive.do(RetryRequested(at=1.0, job=key("1")))
    drive.do(RetryRequested(at=1.0, job=key("77")))
    assert drive.prepared == ["1", "2"]


def test_after_a_signal_nothing_starts() -> None:
    """RUN-14: not even what the user asks to try again."""
    drive = Drive(plan(job("1"), job("2"), cap=1))
    drive.ready("1")
    drive.do(StopRequested(at=1.0, signal=2))
    drive.do(RetryRequested(at=1.0, job=key("2")))
    drive.session("1", failed(FailureClass.KILLED))
    drive.closed("1")
    assert drive.ends == {"1": JobStatus.CANCELLED, "2": JobStatus.NOT_RUN}
    assert drive.prepared == ["1"]
