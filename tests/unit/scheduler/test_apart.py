"""Jobs that touch the same paths are kept apart while there is other work (WAVE-10)."""

from __future__ import annotations

import msgspec
from tests.unit.scheduler.drive import GOOD, SESSION, Drive, job, key, pipeline, plan

from weft.model.events import CancelRequested, CapSet, RetryRequested
from weft.model.job import Job
from weft.model.phase import Phase
from weft.scheduler.apart import MOST_ASIDE
from weft.scheduler.why import why

A = "src/a.py"


def touching(name: str, *paths: str) -> Job:
    return job(name, touches=paths or (A,))


def test_other_work_goes_before_one_that_overlaps() -> None:
    """In one wide lane: the second that touches the path is passed over."""
    assert Drive(plan(touching("1"), touching("2"), touching("3", "docs/**"), cap=2)).prepared == ["1", "3"]


def test_why_names_the_path_and_who_works_on_it() -> None:
    """PLAN-1: the scheduler's own decision."""
    drive = Drive(plan(touching("1"), touching("2", "src/*"), touching("3", "docs/**"), cap=2))
    assert why(drive.state, key("2")) == "waits because it touches src/*, which shop#1 works on"


def test_one_that_was_passed_over_starts_when_the_other_has_ended() -> None:
    """In its place in the order, before what is less urgent."""
    drive = Drive(plan(touching("1"), touching("2"), job("3"), job("4"), cap=2))
    drive.run("1")
    assert drive.prepared == ["1", "3", "2"]


def test_no_slot_idles_because_of_an_overlap_alone() -> None:
    """With nothing else to do they run together."""
    assert Drive(plan(touching("1"), touching("2"), cap=2)).prepared == ["1", "2"]
    drive = Drive(plan(touching("1"), touching("2"), job("3"), cap=2))
    drive.run("3")
    assert drive.prepared == ["1", "3", "2"]


def test_a_job_that_says_nothing_is_never_passed_over() -> None:
    """Nobody knows what it touches."""
    assert Drive(plan(touching("1", "**"), job("2"), job("3"), cap=2)).prepared == ["1", "2"]


def test_paths_of_two_repos_are_different_paths() -> None:
    """api's src/a.py is not shop's."""
    assert Drive(plan(touching("1"), touching("api#1"), job("3"), cap=2)).prepared == ["1", "api#1"]


def test_it_holds_across_lanes_of_one_repo() -> None:
    """Two tracks, one repo."""
    jobs = (touching("1"), msgspec.structs.replace(touching("2"), lane="web"), job("api#3"))
    assert Drive(plan(*jobs, cap=2)).prepared == ["1", "api#3"]


def test_what_the_first_phase_named_counts_from_then_on() -> None:
    """The spec phase says what the job will touch."""
    phases = pipeline(Phase("spec", SESSION, agent="mine"), Phase("exec", SESSION, agent="mine"))
    drive = Drive(plan(job("1"), touching("2"), job("3"), cap=1, pipelines=phases))
    drive.ready("1")
    drive.session("1", msgspec.structs.replace(GOOD, touches=(A,)))
    drive.do(CapSet(at=1.0, cap=2))
    assert drive.prepared == ["1", "3"]
    assert why(drive.state, key("2")) == "waits because it touches src/a.py, which shop#1 works on"


def test_a_lane_that_is_full_is_not_overrun_by_one_that_was_passed_over() -> None:
    """It waits for its lane like any other."""
    jobs = (touching("1"), msgspec.structs.replace(touching("2"), lane="narrow"), job("3", lane="narrow"))
    drive = Drive(plan(*jobs, cap=3))
    assert drive.prepared == ["1", "3"]
    drive.run("3")
    assert drive.prepared == ["1", "3", "2"]


def test_one_that_is_cancelled_and_retried_meanwhile_runs_once() -> None:
    """It was set aside, ended, and is ready again."""
    drive = Drive(plan(touching("1"), touching("2"), job("3"), job("4"), cap=2))
    drive.do(CancelRequested(at=1.0, job=key("2")))
    drive.do(RetryRequested(at=1.0, job=key("2")))
    for name in ("1", "3", "2", "4"):
        drive.run(name)
    assert sorted(drive.prepared) == ["1", "2", "3", "4"]
    assert drive.state.over


def test_only_so_many_are_passed_over_at_once() -> None:
    """A step's cost is bounded: beyond that number the best one runs in spite of the overlap."""
    many = [touching(str(number)) for number in range(MOST_ASIDE + 3)]
    assert Drive(plan(*many, job("free"), cap=2, width=9999)).prepared == ["0", "1"]
    some = many[: MOST_ASIDE + 1]
    assert Drive(plan(*some, job("free"), cap=2, width=9999)).prepared == ["0", "free"]
