"""The fold of the merge queue's events (MERGE-1 to MERGE-6)."""

from __future__ import annotations

from tests.unit.board.events_builder import RUN, key
from tests.unit.board.merge_tale import TARGET, MergeTale

from weft.board.board import fold
from weft.board.document import run_document, status_document
from weft.board.merging import merge_phase
from weft.board.queue_view import MergeStand
from weft.board.states import JobProgress, PhaseState
from weft.board.stats import gather
from weft.board.views import JobView, RunView
from weft.model.events import CancelRequested, LandingEnded, QueueHoldSet, QueueRemoveRequested, TargetRead
from weft.model.job import JobStatus
from weft.model.outcome import Failure, PhaseStatus
from weft.model.phase import FailureClass


def view_of(tale: MergeTale) -> RunView:
    return fold(RUN, tale.events)


def one(tale: MergeTale, name: str = "#1") -> JobView:
    return view_of(tale).jobs[key(name)]


def attempts(job: JobView) -> list[tuple[int, PhaseStatus | None]]:
    phase = merge_phase(job)
    assert phase is not None
    return [(attempt.number, attempt.status) for attempt in phase.attempts]


def items(view: RunView) -> list[str]:
    return [each.id for each in view.queues["shop"].items]


def test_from_the_queue_to_the_target() -> None:
    """A queued job has no slot and is neither waiting nor running; landed, it is merged, with its target."""
    tale = MergeTale("#1", "#2").queued("#1")
    view = view_of(tale)
    job = view.jobs[key("#1")]
    assert (view.in_flight, view.waiting, len(view.queued)) == (0, 1, 1)
    assert (view.shown_status(job), job.progress, job.stand) == ("queued", JobProgress.QUEUED, MergeStand.WAITING)
    assert one(tale.made("#1")).stand is MergeStand.TESTING
    assert one(tale.gated("#1")).stand is MergeStand.GREEN
    job = one(tale.landed("#1"))
    assert (job.merged, job.target, job.landed, job.stand) == (True, TARGET, "c-1-1", None)
    assert attempts(job) == [(1, PhaseStatus.PASSED)]
    (part, _) = run_document(view_of(tale))["jobs"]
    assert (part["merged"], part["target"], part["landed"], part["repairs"]) == (True, TARGET, "c-1-1", 0)
    assert part["phases"][-1] == {"name": "merge", "status": "passed", "attempts": 1, "duration_seconds": 3.0}


def test_a_run_without_a_queue_says_nothing_of_it() -> None:
    """The documents keep their shape where nothing is merged."""
    part = run_document(view_of(MergeTale("#1")))["jobs"][0]
    assert (part["merged"], "target" in part) == (False, False)


def test_places() -> None:
    """MERGE-6: in the order in which they are to land, also when one goes before others or leaves."""
    tale = MergeTale("#1", "#2", "#3").queued("#1").queued("#2", 1).queued("#3", 1)
    view = view_of(tale)
    assert items(view) == ["1", "3", "2"]
    assert [view.ahead(view.jobs[key(name)]) for name in ("#1", "#2", "#3")] == [0, 2, 1]
    tale.made("#1").gated("#1").landed("#1")
    assert items(view_of(tale)) == ["3", "2"]
    tale.add(QueueRemoveRequested(at=tale.now, job=key("#3")))
    assert items(view_of(tale)) == ["2"]
    tale.add(CancelRequested(at=tale.now, job=key("#2")))
    assert items(view_of(tale)) == []


def test_a_refused_one_takes_those_behind_it_along() -> None:
    """MERGE-3: what was built on top of it is taken back, and is nobody's failure."""
    tale = MergeTale("#1", "#2").queued("#1").queued("#2", 1).made("#1").made("#2").gated("#1", passed=False)
    view = view_of(tale)
    assert view.jobs[key("#1")].stand is MergeStand.REFUSED
    behind = view.jobs[key("#2")]
    assert behind.stand is MergeStand.WAITING
    assert attempts(behind) == [(1, PhaseStatus.CANCELLED)]
    tale.gated("#2", failure=Failure(FailureClass.KILLED, "stopped")).made("#2").gated("#2").landed("#2")
    behind = one(tale, "#2")
    assert attempts(behind) == [(1, PhaseStatus.CANCELLED), (2, PhaseStatus.PASSED)]
    phase = merge_phase(behind)
    assert phase is not None
    assert phase.tries == 1


def test_a_repair() -> None:
    """MERGE-4: it leaves the queue, is worked on again, and comes back; both tries count."""
    tale = MergeTale("#1").queued("#1").made("#1", conflict="a.py").sent_back("#1", 1)
    job = one(tale)
    assert (job.stand, job.repairs) == (None, 1)
    assert items(view_of(tale)) == []
    tale.queued("#1").made("#1").gated("#1").landed("#1")
    job = one(tale)
    assert (job.merged, job.repairs) == (True, 1)
    assert attempts(job) == [(1, PhaseStatus.FAILED), (2, PhaseStatus.PASSED)]
    rate = gather([view_of(tale)]).by_phase["merge"]
    assert (rate.n, rate.succeeded) == (2, 1)


def test_no_repair_left() -> None:
    """MERGE-4: the phase `merge` has failed, and the job is parked for that."""
    tale = MergeTale("#1").queued("#1").made("#1", conflict="a.py").sent_back("#1", 0)
    tale.close("#1").end("#1", JobStatus.PARKED, f"conflict with {TARGET} in a.py")
    job = one(tale)
    phase = merge_phase(job)
    assert phase is not None
    assert (phase.state, job.failed_phase, job.merged) == (PhaseState.FAILED, "merge", False)


def test_a_red_target_blames_nobody() -> None:
    """MERGE-5: the queue is stuck, with the reason; the branch's red build is no failure of its own."""
    tale = MergeTale("#1").queued("#1").made("#1").gated("#1", passed=False).target_red("#1")
    view = view_of(tale)
    assert view.queues["shop"].stuck == f"target is red: gate test failed on {TARGET} itself, at tip"
    assert attempts(view.jobs[key("#1")]) == [(1, PhaseStatus.CANCELLED)]
    (run,) = status_document([view])["runs"]
    assert run["targets"][0]["stuck"] == view.queues["shop"].stuck
    tale.add(QueueHoldSet(at=tale.now, repo="shop", held=False))
    assert view_of(tale).queues["shop"].stuck is None


def test_held_and_stuck_for_other_reasons() -> None:
    """MERGE-6: a person's hold, a target that cannot be read, one that cannot be moved."""
    tale = MergeTale("#1").queued("#1")
    tale.add(QueueHoldSet(at=tale.now, repo="shop", held=True))
    assert view_of(tale).queues["shop"].standing == "held by a person"
    tale.add(TargetRead(at=tale.now, repo="shop", problem="it is checked out"))
    assert view_of(tale).queues["shop"].standing == "it is checked out"
    tale.add(QueueHoldSet(at=tale.now, repo="shop", held=False))
    tale.made("#1").gated("#1")
    attempt = tale.build("#1")
    tale.add(LandingEnded(at=tale.now, attempt=attempt, commit="c-1-1", landed=False, problem="disk full"))
    view = view_of(tale)
    assert (view.queues["shop"].stuck, view.jobs[key("#1")].stand) == ("disk full", MergeStand.WAITING)


def test_flaky_gates_are_remembered() -> None:
    """MERGE-5: also those of a build that was overtaken; each gate once per job."""
    tale = MergeTale("#1").queued("#1").made("#1").made("#1").gated("#1", flaky=("test",)).gated("#1", flaky=("test",))
    view = view_of(tale)
    assert [(each.gate, each.job) for each in view.flaky] == [("test", key("#1"))]
    (run,) = status_document([view])["runs"]
    assert run["flaky_gates"] == [{"gate": "test", "job": "shop#1"}]


def test_what_comes_too_late_changes_nothing() -> None:
    """An answer about a build that was taken back is not about the next one."""
    tale = MergeTale("#1").queued("#1").made("#1")
    late = tale.build("#1")
    tale.made("#1")
    tale.add(LandingEnded(at=tale.now, attempt=late, commit="c-1-1", landed=True, tip="c-1-1"))
    job = one(tale)
    assert (job.merged, job.stand) == (False, MergeStand.TESTING)


def test_after_a_crash_it_is_built_again() -> None:
    """RECOVER-3: builds under way are lost, the place in the queue is not."""
    tale = MergeTale("#1").queued("#1").made("#1")
    tale.wait(60).resume()
    view = view_of(tale)
    assert (items(view), view.jobs[key("#1")].stand) == (["1"], MergeStand.WAITING)
    assert attempts(view.jobs[key("#1")]) == [(1, PhaseStatus.LOST)]
