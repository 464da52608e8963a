"""The dependency graph (WAVE-3, WAVE-8)."""

from __future__ import annotations

import pytest
from tests.unit.scheduler.drive import job, key, plan

from weft.errors import UsageError
from weft.scheduler.graph import check_plan, dependents_of, find_cycle, levels, longest_paths


def test_a_cycle_is_named_whole() -> None:
    """WAVE-3: closed, and without those that only wait behind it."""
    jobs = (job("0", "1"), job("1", "2"), job("2", "api#3"), job("api#3", "1"), job("4"))
    with pytest.raises(UsageError, match="Dependency cycle: shop#1 → shop#2 → api#3 → shop#1"):
        check_plan(plan(*jobs))


def test_a_job_that_waits_for_itself_is_a_cycle() -> None:
    """The shortest there is."""
    assert find_cycle((job("1", "1"),)) == [key("1"), key("1")]


def test_all_unknown_references_are_named() -> None:
    """WAVE-3: each with the job that makes it."""
    with pytest.raises(UsageError, match="shop#1 depends on shop#8; shop#2 depends on api#9"):
        check_plan(plan(job("1", "8"), job("2", "api#9")))


def test_a_job_named_twice_is_refused() -> None:
    """Two jobs of one key could not be told apart."""
    with pytest.raises(UsageError, match="Jobs named twice: shop#1"):
        check_plan(plan(job("1"), job("2"), job("1")))


def test_a_sound_plan_is_fine() -> None:
    """A dependency may be named twice."""
    check_plan(plan(job("1"), job("2", "1", "1")))


def test_the_longest_path_counts_a_jobs_own_time_and_all_that_waits_for_it() -> None:
    """WAVE-9."""
    jobs = (
        job("1", estimate=1.0),
        job("2", "1", estimate=5.0),
        job("3", "1", estimate=2.0),
        job("4", "3", estimate=4.0),
    )
    assert longest_paths(jobs) == {key("1"): 7.0, key("2"): 5.0, key("3"): 6.0, key("4"): 4.0}


def test_levels_need_only_those_before_them() -> None:
    """WAVE-8."""
    jobs = (job("3", "1", "2"), job("1"), job("2", "1"), job("4"))
    assert levels(jobs) == [[key("1"), key("4")], [key("2")], [key("3")]]
    assert levels(()) == []


def test_dependents_are_those_that_wait() -> None:
    """Each once."""
    jobs = (job("1"), job("2", "1", "1"), job("3", "2"))
    assert dependents_of(jobs) == {key("1"): [jobs[1]], key("2"): [jobs[2]]}


def test_a_chain_of_a_hundred_thousand_is_no_trouble() -> None:
    """Nothing here recurses."""
    jobs = [job("0"), *(job(str(n), str(n - 1)) for n in range(1, 100_000))]
    check_plan(plan(*jobs))
    assert longest_paths(jobs)[key("0")] == 100_000.0
