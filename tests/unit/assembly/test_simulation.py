"""Plans played through, and where their durations are from (PLAN-2)."""

from __future__ import annotations

import msgspec
import pytest
from tests.unit.scheduler.drive import SESSION, job, key, pipeline, plan

from weft.assembly.simulation import bound_of, cost_of, enough, lanes_of, phase_times, play
from weft.assembly.simulation_timeline import timeline_of
from weft.assembly.simulation_times import ASSUMED, ASSUMED_GATES, Model, Source, Times
from weft.board.states import PhaseState
from weft.board.timeline import Tone
from weft.board.views import AttemptView, JobView, PhaseView, RunView
from weft.model.ids import RunId
from weft.model.job import Job
from weft.model.outcome import GateResult, PhaseStatus
from weft.model.phase import Phase, StepKind
from weft.model.plan import Gate, MergeInto, Plan, Repo
from weft.model.usage import Usage

PHASES = pipeline(Phase("exec", SESSION), Phase("qa", (StepKind.GATES,)))
REPO = Repo("shop", "/shop", gates=(Gate("test", "make test"),), merge=MergeInto("main"))


def run_of(job: Job, *attempts: AttemptView) -> RunView:
    phase = PhaseView("exec", PhaseState.PASSED, list(attempts))
    view = JobView(job=job, phases=[phase])
    return RunView(run=RunId("r-1"), repos={"shop": "/shop"}, jobs={job.key: view})


def attempt(number: int, seconds: float, cost: float | None = None) -> AttemptView:
    usage = Usage(sessions=1, cost_usd=cost)
    status = PhaseStatus.PASSED
    gates = (GateResult("test", "make test", True, 0, 7.0),)
    return AttemptView(number, 0.0, 0.0, duration=seconds, usage=usage, status=status, gates=gates)


def two() -> Plan:
    return plan(job("1"), job("2"), pipelines=PHASES, repos=(REPO,))


def source(times: Times, of: Plan, phase: int = 0) -> tuple[float, Source]:
    expected = times.expected(of.jobs[0], of.pipelines[0].phases[phase])
    return expected.seconds, expected.source


def test_durations_are_what_is_known_best() -> None:
    """The user's word, then the run itself, then the plan's word, then history, then an assumption."""
    of = two()
    past = [run_of(job("9"), attempt(1, 30.0))]
    run = run_of(of.jobs[0], attempt(1, 5.0), attempt(2, 6.0))
    assert source(Times(of, [], Model()), of) == (ASSUMED, Source.ASSUMED)
    assert source(Times(of, [], Model(phase=9.0)), of) == (9.0, Source.SAID)
    assert source(Times(of, past, Model(phase=9.0)), of) == (30.0, Source.HISTORY)
    assert source(Times(of, past, Model(), said={key("1"): 80.0}), of) == (40.0, Source.SAID)
    assert source(Times(of, past, Model(), run=run), of) == (11.0, Source.RUN)
    assert source(Times(of, past, Model(phases={"exec": 3.0}), run=run), of) == (3.0, Source.SAID)
    assert source(Times(of, past, Model(job=8.0), run=run), of, phase=1) == (4.0, Source.SAID)


def test_the_merge_queue_s_gates_take_what_gates_took() -> None:
    """Else a minute, and nothing where a repo has no gates."""
    of = two()
    assert Times(of, [run_of(job("9"), attempt(1, 30.0))], Model()).gates("shop") == 7.0
    assert Times(of, [], Model()).gates("shop") == ASSUMED_GATES
    assert Times(of, [], Model(gates=2.0)).gates("shop") == 2.0
    bare = msgspec.structs.replace(of, repos=(msgspec.structs.replace(REPO, gates=()),))
    assert Times(bare, [], Model()).gates("shop") == 0.0


def test_a_spread_is_the_same_for_every_cap_and_another_for_every_seed() -> None:
    """Caps can be compared, and chances tried."""
    of = two()
    phase = of.pipelines[0].phases[0]
    one, again, other = (Times(of, [], Model(spread=0.5, seed=seed)) for seed in (1, 1, 2))
    assert one.seconds(of.jobs[0], phase) == again.seconds(of.jobs[0], phase) != other.seconds(of.jobs[0], phase)
    assert ASSUMED / 2 <= one.seconds(of.jobs[0], phase) <= ASSUMED * 1.5


def test_what_nobody_told_costs_nobody_knows_what() -> None:
    """Never zero: gates alone cost nothing, sessions without a known cost are counted."""
    of = two()
    unknown = Times(of, [run_of(job("9"), attempt(1, 30.0))], Model())
    known = Times(of, [run_of(job("9"), attempt(1, 30.0, 0.25))], Model())
    played = play(of, unknown, 1)
    assert (cost_of(played, of, unknown).usd, cost_of(played, of, unknown).unknown) == (0, 2)
    assert (cost_of(played, of, known).usd, cost_of(played, of, known).unknown) == (0.5, 0)


def test_waiting_counts_from_when_a_job_could_have_run() -> None:
    """Not from the start of the run for one that waits for another."""
    of = plan(job("1"), job("2", "1"), job("3"), cap=1, pipelines=PHASES)
    played = play(of, Times(of, [], Model(job=10.0)), 1)
    waits = {span.job.key.id: span.start - span.ready for span in played.spans}
    assert waits == {"1": 0.0, "2": 0.0, "3": 20.0}
    assert played.waiting == 20.0


def test_the_smallest_cap_that_is_about_the_fastest_is_enough() -> None:
    """And what keeps it from being faster is named."""
    of = plan(*(job(str(number)) for number in range(4)), job("api#1"), width=2, pipelines=PHASES)
    times = Times(of, [], Model(job=10.0))
    one = enough([play(of, times, cap) for cap in (1, 2, 3, 4)])
    bound = bound_of(one, of, times)
    assert (one.cap, one.result.makespan, bound.seconds, bound.lane) == (3, 20.0, 20.0, "shop")


def test_lanes_with_the_busiest_first() -> None:
    """With when each was at work."""
    of = plan(job("1"), job("2"), job("api#1"), width=1, pipelines=PHASES)
    lanes = lanes_of(play(of, Times(of, [], Model(job=10.0)), 2))
    assert [(lane.name, lane.jobs, lane.busy, lane.end) for lane in lanes] == [
        ("shop", 2, 20.0, 20.0),
        ("api", 1, 10.0, 10.0),
    ]


def test_each_phase_says_where_its_time_is_from() -> None:
    """For all its jobs."""
    of = two()
    times = Times(of, [], Model(phases={"exec": 4.0}))
    found = [(time.phase, time.source, time.jobs, time.seconds) for time in phase_times(play(of, times, 1), of, times)]
    assert found == [("exec", Source.SAID, 2, 4.0), ("qa", Source.ASSUMED, 2, ASSUMED)]


def test_the_timeline_shows_work_and_the_merge_queue() -> None:
    """A bar each; the slot is free from the first's end."""
    of = two()
    drawn = timeline_of(play(of, Times(of, [], Model(job=10.0, gates=5.0)), 2), of)
    first = [(bar.start, bar.end, bar.tone) for bar in drawn.rows[0].bars[:2]]
    assert first == [(0.0, 10.0, Tone.WORK), (10.0, pytest.approx(15.0), Tone.QUEUE)]
    assert drawn.end == 15.0
