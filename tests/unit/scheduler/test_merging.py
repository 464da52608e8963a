"""The merge queue's rules, one by one."""

from __future__ import annotations

from collections.abc import Iterable

from tests.property.merge_world import BASE, MergeWorld, Rules, merge_plan

from weft.model import commands as c
from weft.model import events as e
from weft.model.ids import JobKey
from weft.model.job import Job, JobStatus
from weft.model.outcome import Failure, SessionOutcome
from weft.model.phase import FailureClass
from weft.scheduler.merge_queue import ItemState
from weft.scheduler.states import JobState
from weft.scheduler.why import why


def key(ident: int | str, repo: str = "shop") -> JobKey:
    return JobKey(repo, str(ident))


def job(ident: int | str, *, priority: int = 0, needs: Iterable[int] = (), repo: str = "shop") -> Job:
    name = key(ident, repo)
    return Job(name, str(ident), repo, branch=f"weft/{ident}", priority=priority, depends_on=tuple(map(key, needs)))


def world(count: int, rules: Rules | None = None, *, window: int = 4, repairs: int = 2) -> MergeWorld:
    jobs = [job(number) for number in range(1, count + 1)]
    return MergeWorld(merge_plan(jobs, cap=count, window=window, repairs=repairs, width=count), rules or Rules())


def answer(here: MergeWorld, *kinds: type[c.Command]) -> None:
    """Answer all of these kinds, also those that come of it, until none is left."""
    while True:
        found = next((place for place, one in enumerate(here.outstanding) if isinstance(one, kinds)), None)
        if found is None:
            return
        here.answer(found)


def all_queued(here: MergeWorld) -> None:
    answer(here, c.PrepareWorkspace, c.RunSession)


def to_the_end(here: MergeWorld) -> None:
    while here.outstanding:
        here.answer(0)


def gated(here: MergeWorld) -> list[str]:
    return [one.attempt.job.id for one in here.outstanding if isinstance(one, c.GateMerge)]


def states(here: MergeWorld) -> list[ItemState]:
    return [item.state for item in here.state.queues["shop"].items]


def test_a_queued_job_gives_up_its_slot_and_keeps_its_lane() -> None:
    """WAVE-1: from its place in the queue it holds the lane alone, until it has landed."""
    here = MergeWorld(merge_plan([job(1), job(2)], cap=1, width=1), Rules())
    answer(here, c.PrepareWorkspace, c.RunSession)
    assert here.state.in_flight == 0
    assert here.state.job(key(1)).state is JobState.QUEUED
    assert here.state.job(key(2)).state is JobState.READY
    to_the_end(here)
    assert here.landed["shop"] == [key(1), key(2)]


def test_a_lane_that_follows_the_cap_widens_with_it() -> None:
    """WAVE-1: in `weft run` the lane is as wide as the cap, also when that is changed."""
    here = MergeWorld(merge_plan([job(1), job(2), job(3)], cap=1, width=0), Rules())
    all_queued(here)
    assert here.state.in_flight == 0
    here.send(e.CapSet(at=0.0, cap=2))
    assert here.state.in_flight == 1
    assert here.state.job(key(2)).state is JobState.PREPARING


def test_two_ready_merges_land_one_after_the_other() -> None:
    """MERGE-1: with both green at once, the second is landed when the first has."""
    here = world(2)
    all_queued(here)
    answer(here, c.ReadTarget, c.MakeMerge, c.GateMerge)
    landings = [one for one in here.outstanding if isinstance(one, c.Land)]
    assert [one.attempt.job for one in landings] == [key(1)]
    assert states(here) == [ItemState.LANDING, ItemState.PASSED]
    answer(here, c.Land)
    assert here.landed["shop"] == [key(1), key(2)]


def test_each_is_built_on_the_one_before_it() -> None:
    """MERGE-3: the window is merged and gated at the same time, each on top of those before it."""
    here = world(6)
    all_queued(here)
    answer(here, c.ReadTarget, c.MakeMerge)
    items = list(here.state.queues["shop"].items)
    assert gated(here) == ["1", "2", "3", "4"]
    assert items[0].onto == BASE
    assert [item.onto for item in items[1:4]] == [item.commit for item in items[:3]]
    assert states(here)[4:] == [ItemState.WAITING] * 2


def test_the_window_halves_on_a_failure_and_grows_with_each_landing() -> None:
    """MERGE-3: starts at its most, halves, plus one per landing, never over its most."""
    here = world(8, Rules(bad=frozenset({key(1)})), repairs=0)
    all_queued(here)
    here.state.queues["shop"].tip_green = True
    answer(here, c.ReadTarget, c.MakeMerge)
    here.state.queues["shop"].tip_green = True
    answer(here, c.GateMerge)
    assert here.state.queues["shop"].window == 2
    answer(here, c.MakeMerge)
    assert gated(here) == ["2", "3"]
    answer(here, c.GateMerge, c.Land)
    assert here.state.queues["shop"].window == 4
    answer(here, c.MakeMerge)
    assert gated(here) == ["4", "5", "6", "7"]


def test_one_that_fails_in_the_middle_is_built_around_at_once() -> None:
    """MERGE-3: it is taken out and those behind it are rebuilt; those ahead are not disturbed."""
    here = world(4, Rules(bad=frozenset({key(2)})))
    all_queued(here)
    answer(here, c.ReadTarget, c.MakeMerge)
    second = next(place for place, one in enumerate(here.outstanding) if _gates(one, "2"))
    here.answer(second)
    assert states(here) == [ItemState.TESTING, ItemState.REFUSED, ItemState.MERGING, ItemState.WAITING]
    answer(here, c.MakeMerge)
    items = list(here.state.queues["shop"].items)
    assert items[2].onto == items[0].commit
    to_the_end(here)
    assert here.landed["shop"] == [key(1), key(3), key(4), key(2)]


def _gates(command: c.Command, ident: str) -> bool:
    return isinstance(command, c.GateMerge) and command.attempt.job.id == ident


def test_two_that_pass_alone_and_fail_together_land_once() -> None:
    """MERGE-2: exactly one of them lands as it is; without repairs the other is parked."""
    together = frozenset({frozenset({key(1), key(2)})})
    here = world(2, Rules(breaks=together), repairs=0)
    all_queued(here)
    to_the_end(here)
    assert here.landed["shop"] == [key(1)]
    parked = here.ended[key(2)]
    assert (parked.status, parked.reason) == (JobStatus.PARKED, "gate test failed when merged into weft/m1")


def test_a_conflict_goes_back_to_the_author_with_the_merge_in_the_workspace() -> None:
    """MERGE-4: the author's phase runs again, before new jobs, on the branch merged with what it was tested on."""
    here = world(2, Rules(conflicts=frozenset({frozenset({key(1), key(2)})})))
    all_queued(here)
    answer(here, c.ReadTarget, c.MakeMerge, c.GateMerge, c.Land)
    prepared = [one for one in here.outstanding if isinstance(one, c.PrepareWorkspace)]
    assert [(one.job, one.head, one.merge) for one in prepared] == [(key(2), "shop#2@0", here.targets["shop"])]
    answer(here, c.PrepareWorkspace)
    session = next(one for one in here.outstanding if isinstance(one, c.RunSession))
    assert "conflicts in: a.py" in session.findings[0]
    to_the_end(here)
    assert here.ended[key(2)].status is JobStatus.PASSED


def test_a_parked_conflict_speaks_to_people() -> None:
    """MERGE-4: files and target are named; that the merge is under way in the workspace is told to authors alone."""
    here = world(2, Rules(conflicts=frozenset({frozenset({key(1), key(2)})})), repairs=0)
    all_queued(here)
    to_the_end(here)
    ended = here.ended[key(2)]
    assert (ended.status, ended.reason) == (JobStatus.PARKED, "conflict with weft/m1 in a.py")
    assert ended.detail is None


def test_after_so_many_repairs_a_job_is_parked() -> None:
    """MERGE-4: at most `merge.repairs` times; the queue does not wait for it."""
    here = world(3, Rules(bad=frozenset({key(1)}), mended_by=9), repairs=2)
    all_queued(here)
    to_the_end(here)
    assert here.versions[key(1)] == 2
    assert here.ended[key(1)].status is JobStatus.PARKED
    assert here.landed["shop"] == [key(2), key(3)]


def test_a_red_target_is_nobodys_fault() -> None:
    """MERGE-5: the branch is red and so is the tip alone: reported as such, no repair is spent, the queue holds;
    with nothing else to do its jobs are parked, those that never started too.
    """
    here = MergeWorld(merge_plan([job(1), job(2)], cap=1, width=1), Rules(red_base=True))
    to_the_end(here)
    assert here.versions == {key(1): 0}
    assert {name: ended.status for name, ended in here.ended.items()} == {
        key(1): JobStatus.PARKED,
        key(2): JobStatus.PARKED,
    }
    assert here.ended[key(1)].reason == f"target is red: gate test failed on weft/m1 itself, at {BASE}"


def test_a_red_target_holds_its_own_queue_alone() -> None:
    """MERGE-5: other repos go on; released, the queue looks at its target again."""
    here = MergeWorld(merge_plan([job(1), job(2, repo="api")], cap=2), Rules(red_base=True))
    all_queued(here)
    answer(here, c.ReadTarget, c.MakeMerge)
    shop = next(place for place, one in enumerate(here.outstanding) if _gates(one, "1"))
    here.answer(shop)
    answer(here, c.GateTarget)
    assert "which holds: target is red" in why(here.state, key(1))
    here.rules = Rules()
    here.send(e.QueueHoldSet(at=0.0, repo="shop", held=False))
    to_the_end(here)
    assert {ended.status for ended in here.ended.values()} == {JobStatus.PASSED}


def test_the_target_is_checked_once_not_after_its_own_landings() -> None:
    """MERGE-5: a tip that Weft itself gated and landed is known to be green."""
    here = world(3, Rules(bad=frozenset({key(2), key(3)})), repairs=0)
    all_queued(here)
    checks = []
    while here.outstanding:
        checks += [one for one in here.outstanding if isinstance(one, c.GateTarget)]
        here.answer(0)
    assert not checks


def test_a_target_that_moved_is_merged_onto_again() -> None:
    """MERGE-2: compare and swap; if the tip moved, it is done again on the new one."""
    here = world(1)
    all_queued(here)
    answer(here, c.ReadTarget, c.MakeMerge, c.GateMerge)
    here.move_target("shop")
    to_the_end(here)
    assert here.history["shop"] == [BASE, f"{BASE}+", f"({BASE}+|shop#1@0)"]


def test_what_landed_before_a_crash_is_not_landed_again() -> None:
    """RECOVER-3: between the ref's update and the journal: it has landed, go on."""
    here = world(2)
    all_queued(here)
    answer(here, c.ReadTarget, c.MakeMerge, c.GateMerge)
    here.crash(after_effects=True)
    to_the_end(here)
    assert here.landed["shop"] == [key(1), key(2)]
    assert len(here.history["shop"]) == 3


def test_a_held_queue_builds_and_lands_nothing_until_it_is_released() -> None:
    """MERGE-6: hold and release."""
    here = world(2)
    all_queued(here)
    here.send(e.QueueHoldSet(at=0.0, repo="shop", held=True))
    answer(here, c.ReadTarget)
    assert not here.outstanding
    assert "which is held (`weft queue release` lifts it)" in why(here.state, key(1))
    here.send(e.QueueHoldSet(at=0.0, repo="shop", held=False))
    to_the_end(here)
    assert here.landed["shop"] == [key(1), key(2)]


def test_one_that_is_removed_is_parked_and_those_behind_are_built_without_it() -> None:
    """MERGE-6: remove."""
    here = world(2)
    all_queued(here)
    answer(here, c.ReadTarget, c.MakeMerge)
    here.send(e.QueueRemoveRequested(at=0.0, job=key(1)))
    to_the_end(here)
    assert here.ended[key(1)].reason == "removed from the merge queue"
    assert here.trees[here.targets["shop"] or ""].holds == ("shop#2@0",)


def test_urgent_ones_go_ahead_of_those_that_only_wait() -> None:
    """MERGE-1: first come first served among equals."""
    jobs = [job(1), job(2), job(3, priority=1)]
    here = MergeWorld(merge_plan(jobs, cap=3, window=1, width=3), Rules())
    for ident in ("1", "2", "3"):
        for kind in (c.PrepareWorkspace, c.RunSession):
            here.answer(
                next(n for n, one in enumerate(here.outstanding) if isinstance(one, kind) and ident in str(one))
            )
        answer(here, c.ReadTarget)
    to_the_end(here)
    assert here.landed["shop"] == [key(1), key(3), key(2)]


def test_gates_that_were_lost_run_again() -> None:
    """RECOVER-4: a warden that died is nobody's fault."""
    here = world(1)
    all_queued(here)
    answer(here, c.ReadTarget, c.MakeMerge)
    (lost,) = [one for one in here.outstanding if isinstance(one, c.GateMerge)]
    here.outstanding.remove(lost)
    failure = Failure(FailureClass.LOST, "the warden died")
    here.send(e.MergeGated(at=0.0, attempt=lost.attempt, commit=lost.commit, failure=failure))
    to_the_end(here)
    assert here.landed["shop"] == [key(1)]


def test_a_dependent_starts_when_what_it_needs_has_landed() -> None:
    """WAVE-3: done is merged with gates green; a parked dependency parks its dependents by its name."""
    here = MergeWorld(merge_plan([job(1), job(2, needs=[1])], cap=2, width=2), Rules())
    all_queued(here)
    assert here.state.job(key(2)).state is JobState.WAITING
    to_the_end(here)
    assert here.landed["shop"] == [key(1), key(2)]
    here = MergeWorld(
        merge_plan([job(1), job(2, needs=[1])], cap=2, width=2, repairs=0), Rules(bad=frozenset({key(1)}))
    )
    to_the_end(here)
    assert here.ended[key(2)].reason == "unmet dependency shop#1"


def test_a_target_that_cannot_be_landed_on_parks_with_the_reason() -> None:
    """MERGE-2: such as one that is checked out and changed."""
    here = world(1)
    all_queued(here)
    here.outstanding.clear()
    here.send(e.TargetRead(at=0.0, repo="shop", problem="branch `weft/m1` is checked out"))
    to_the_end(here)
    assert here.ended[key(1)].reason == "branch `weft/m1` is checked out"


def test_an_author_who_resolves_nothing_has_its_other_repairs_and_is_parked_then() -> None:
    """MERGE-4: at most `merge.repairs` times, then the job is parked; what it had passed with is kept."""
    here = world(2, Rules(conflicts=frozenset({frozenset({key(1), key(2)})})), repairs=2)
    all_queued(here)
    answer(here, c.ReadTarget, c.MakeMerge, c.GateMerge, c.Land)
    for _ in range(2):
        answer(here, c.PrepareWorkspace)
        (session,) = [one for one in here.outstanding if isinstance(one, c.RunSession)]
        here.outstanding.remove(session)
        left = SessionOutcome(failure=Failure(FailureClass.WORK, "conflict markers are left in `a.py`"))
        here.send(e.SessionEnded(at=0.0, attempt=session.attempt, outcome=left))
    to_the_end(here)
    parked = here.ended[key(2)]
    assert (parked.status, parked.commit) == (JobStatus.PARKED, "shop#2@0")
    assert parked.reason == "could not be repaired for the merge: Phase exec failed"
