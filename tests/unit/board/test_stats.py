"""Statistics and estimates over many runs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.board.events_builder import RUN, Tale, job, plan

from weft.board.board import fold
from weft.board.estimates import phase_estimates, plan_estimate
from weft.board.figures import Cost, Spread
from weft.board.stats import gather, stats_document
from weft.board.views import RunView
from weft.model.job import JobStatus
from weft.model.outcome import PhaseStatus
from weft.model.phase import FailureClass
from weft.model.plan import Mode


def run(tale: Tale) -> RunView:
    return fold(RUN, tale.over())


def flaky() -> Tale:
    """spec fails in passing, then the job passes."""
    tale = Tale("#1", mode=Mode.SINGLE).admit("#1").begin("#1", "spec").wait(2)
    tale.session("#1", "spec", failure=FailureClass.RATE_LIMITED)
    tale.finish("#1", "spec", PhaseStatus.RETRYING, "429", tale.now + 5).wait(5)
    for phase in ("spec", "exec", "qa"):
        tale.phase("#1", phase, 30)
    return tale.close("#1").end("#1")


def test_rates_come_with_their_n() -> None:
    """RUN-18: success by mode, by phase, by backend; transient failures by phase."""
    stats = gather([run(flaky()), run(Tale("#1", "#2").whole("#1").failing("#2"))])
    document = stats_document(stats)
    assert document["runs"] == 2
    assert document["jobs"] == 3
    assert document["success"]["mode"] == {
        "single": {"n": 1, "succeeded": 1, "rate": 1.0},
        "parallel": {"n": 2, "succeeded": 1, "rate": 0.5},
    }
    assert document["success"]["phase"]["spec"] == {"n": 4, "succeeded": 3, "rate": 0.75}
    assert document["success"]["phase"]["exec"] == {"n": 3, "succeeded": 2, "rate": 0.6667}
    assert document["success"]["backend"]["claude"]["n"] == 9
    assert document["transient_failures"] == {"spec": 1, "exec": 0, "qa": 0}


@pytest.mark.parametrize("status", [JobStatus.LOCKED, JobStatus.SKIPPED, JobStatus.NOT_RUN])
def test_what_was_not_tried_does_not_count(status: JobStatus) -> None:
    """RUN-18: a rate speaks of work that was tried."""
    stats = gather([run(Tale("#1", "#2").whole("#1").end("#2", status))])
    assert stats.jobs == 1
    assert stats.by_mode["parallel"].n == 1


def test_a_cancelled_job_is_no_failure_of_the_work() -> None:
    """RUN-18: cancelling says nothing about success."""
    tale = Tale("#1").admit("#1").begin("#1", "spec").finish("#1", "spec", PhaseStatus.CANCELLED)
    stats = gather([run(tale.end("#1", JobStatus.CANCELLED))])
    assert not stats.by_mode
    assert not stats.by_phase


def test_unknown_cost_is_counted_apart() -> None:
    """RUN-18: an unknown cost is never added as 0."""
    known, unknown = run(Tale("#1").whole("#1", cost=0.2)), run(Tale("#1").whole("#1", cost=None))
    assert stats_document(gather([known, unknown]))["cost"] == {"usd": 0.6, "jobs_known": 1, "jobs_unknown": 1}
    assert stats_document(gather([unknown]))["cost"]["usd"] is None
    assert Cost().known == 0


def test_durations() -> None:
    """RUN-18: median and p90."""
    spread = Spread([float(second) for second in range(1, 11)])
    assert (spread.median, spread.p90) == (5.5, 9.0)
    assert (Spread([7.0]).median, Spread([7.0]).p90) == (7.0, 7.0)
    assert (Spread().median, Spread().p90) == (None, None)


@given(st.lists(st.floats(0, 1e6), min_size=1))
def test_nine_tenths_do_not_exceed_the_p90(seconds: list[float]) -> None:
    """RUN-18: p90 is one of the values seen, and bounds nine tenths of them."""
    p90 = Spread(seconds).p90
    assert p90 in seconds
    assert p90 is not None
    assert sum(value <= p90 for value in seconds) >= 0.9 * len(seconds) - 1e-9


def test_estimates_take_the_median_of_what_passed() -> None:
    """RUN-19: the estimate of a phase comes from attempts that passed."""
    history = phase_estimates([run(Tale("#1").whole("#1", seconds, 0.1)) for seconds in (10, 20, 90)])
    assert (history["exec"].n, history["exec"].seconds, history["exec"].cost_usd) == (3, 20.0, 0.1)
    estimate = plan_estimate(plan(job("#1"), job("#2"), cap=2), history)
    assert estimate.work_seconds == 120.0
    assert estimate.wall_seconds == 120.0, "one lane of width 1"
    assert estimate.cost_usd == pytest.approx(0.6)
    two_lanes = plan_estimate(plan(job("#1"), job("api#2"), cap=2), history)
    assert two_lanes.wall_seconds == 60.0


def test_a_phase_never_seen_is_unknown() -> None:
    """RUN-19: no history, no number."""
    estimate = plan_estimate(plan(job("#1")), {})
    assert (estimate.work_seconds, estimate.wall_seconds, estimate.cost_usd) == (None, None, None)
