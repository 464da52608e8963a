"""Plans in virtual time."""

from __future__ import annotations

import gc

import pytest
from tests.unit.scheduler.drive import SESSION, job, pipeline, plan

from weft.errors import DefectError
from weft.model.job import JobStatus
from weft.model.phase import Phase, StepKind
from weft.model.plan import LockRule, MergeInto, Repo
from weft.scheduler.simulate import simulate


def test_independent_jobs_fill_the_cap() -> None:
    """Four jobs of ten seconds, two at a time."""
    result = simulate(plan(*(job(str(n), estimate=10.0) for n in range(4)), cap=2))
    assert (result.makespan, result.work, result.utilisation, result.peak) == (20.0, 40.0, 1.0, 2)
    assert result.statuses == {JobStatus.PASSED: 4}


def test_a_lane_of_one_makes_them_wait() -> None:
    """WAVE-1: however many slots there are."""
    assert simulate(plan(*(job(str(n), estimate=10.0) for n in range(4)), width=1)).makespan == 40.0


def test_a_chain_of_dependencies_takes_the_sum() -> None:
    """WAVE-3."""
    assert simulate(plan(job("1", estimate=3.0), job("2", "1", estimate=4.0))).makespan == 7.0


def test_the_longest_path_first_is_the_better_order() -> None:
    """WAVE-9: the long chain begins at once, the short jobs fill up."""
    jobs = (*(job(str(n)) for n in range(4)), job("8", estimate=4.0))
    assert simulate(plan(*jobs, cap=2)).makespan == 4.0


def test_durations_are_the_callers_to_give() -> None:
    """Per job and phase; a phase of gates and a session takes its time once."""
    phases = pipeline(Phase("exec", SESSION), Phase("qa", (StepKind.GATES, StepKind.SESSION), verdict=True))
    result = simulate(plan(job("1"), pipelines=phases), lambda job, phase: {"exec": 5.0, "qa": 2.0}[phase.name])
    assert result.makespan == 7.0


def test_all_events_of_the_journal_are_counted() -> None:
    """Start; per job four inputs (ready, attempt, session, closed) and three notes; the end."""
    assert simulate(plan(job("1"), job("2"))).events == 1 + 2 * 7 + 1


def test_the_merge_queue_takes_the_time_of_its_gates() -> None:
    """MERGE-3: four branches that pass at once are gated in two rounds of a window of two."""
    repo = Repo("shop", "/shop", merge=MergeInto("main", window=2))
    jobs = [job(str(n), estimate=10.0) for n in range(4)]
    assert simulate(plan(*jobs, repos=(repo,)), gates=lambda repo: 5.0).makespan == 20.0


def test_a_job_keeps_its_lane_while_it_stands_in_the_queue() -> None:
    """WAVE-1: the next one starts from what the last one left; its slot is another's meanwhile."""
    repo = Repo("shop", "/shop", merge=MergeInto("main"))
    jobs = [job("1", estimate=10.0), job("2", estimate=10.0), job("api#1", estimate=2.0)]
    assert simulate(plan(*jobs, repos=(repo,), cap=1, width=1), gates=lambda repo: 5.0).makespan == 30.0


def test_locks_are_there_at_once() -> None:
    """Also where all are asked for up front."""
    assert simulate(plan(job("1"), job("2"), lock=LockRule.UP_FRONT)).makespan == 1.0


def test_who_watches_is_told_what_happens_when() -> None:
    """For a timeline."""
    seen: list[tuple[float, str]] = []
    simulate(plan(job("1"), job("2", "1")), watch=lambda at, note: seen.append((at, type(note).__name__)))
    admitted = [at for at, name in seen if name == "JobAdmitted"]
    assert (admitted, seen[-1]) == ([0.0, 1.0], (2.0, "RunEnded"))


def test_a_plan_that_can_never_go_on_is_a_defect_not_a_wrong_number() -> None:
    """A cap of 0 is refused long before."""
    with pytest.raises(DefectError, match="came to a halt"):
        simulate(plan(job("1"), cap=0))


def test_the_collector_is_left_as_it_was() -> None:
    """Also after an error."""
    with pytest.raises(DefectError):
        simulate(plan(job("1"), cap=0))
    assert gc.isenabled()
