"""The merge queue under any order of answers, crashes, moves of the target and requests."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.property.merge_world import MergeWorld, Rules, merge_plan

from weft.model import events as e
from weft.model.ids import JobKey
from weft.model.job import Job, JobStatus

MOST_STEPS = 5000


@st.composite
def worlds(draw: st.DrawFn) -> MergeWorld:
    count = draw(st.integers(1, 7))
    keys = [JobKey(draw(st.sampled_from(["api", "ui"])), str(number)) for number in range(count)]
    jobs = [Job(key, key.id, key.repo, branch=f"weft/{key.id}", depends_on=_needs(draw, keys, key)) for key in keys]
    pairs = [frozenset(pair) for pair in combinations(keys, 2) if pair[0].repo == pair[1].repo]
    some_pairs = st.frozensets(st.sampled_from(pairs), max_size=3) if pairs else st.just(frozenset[frozenset[JobKey]]())
    rules = Rules(
        conflicts=draw(some_pairs),
        breaks=draw(some_pairs),
        bad=draw(st.frozensets(st.sampled_from(keys), max_size=2)),
        mended_by=draw(st.integers(1, 3)),
        red_base=draw(st.integers(0, 9)) == 0,
    )
    plan = merge_plan(
        jobs,
        cap=draw(st.integers(1, 5)),
        window=draw(st.integers(1, 4)),
        repairs=draw(st.integers(0, 2)),
        width=draw(st.sampled_from([0, 1, 8])),
    )
    return MergeWorld(plan, rules)


def _needs(draw: st.DrawFn, keys: list[JobKey], key: JobKey) -> tuple[JobKey, ...]:
    before = keys[: keys.index(key)]
    return tuple(draw(st.lists(st.sampled_from(before), max_size=1))) if before else ()


def run_to_the_end(world: MergeWorld, draw: st.DataObject) -> None:
    """Anything may happen for a while; then only answers."""
    chaos = draw.draw(st.integers(0, 40), "steps of chaos")
    for number in range(MOST_STEPS):
        if world.state.over:
            return
        if number < chaos:
            _anything(world, draw)
        elif world.outstanding:
            world.answer(draw.draw(st.integers(0, 20)) if number < chaos + 100 else 0)
        else:
            _lift(world)
    raise AssertionError("the queue does not empty")


def _anything(world: MergeWorld, draw: st.DataObject) -> None:
    what = draw.draw(st.sampled_from(["answer"] * 8 + ["crash", "move", "cap", "hold", "remove", "cancel"]))
    keys = [job.key for job in world.plan.jobs]
    repos = [repo.name for repo in world.plan.repos]
    match what:
        case "answer" if world.outstanding:
            world.answer(draw.draw(st.integers(0, 20)))
        case "crash":
            world.crash(after_effects=draw.draw(st.booleans()))
        case "move":
            world.move_target(draw.draw(st.sampled_from(repos)))
        case "cap":
            world.send(e.CapSet(at=0.0, cap=draw.draw(st.integers(1, 5))))
        case "hold":
            world.send(e.QueueHoldSet(at=0.0, repo=draw.draw(st.sampled_from(repos)), held=draw.draw(st.booleans())))
        case "remove":
            world.send(e.QueueRemoveRequested(at=0.0, job=draw.draw(st.sampled_from(keys))))
        case "cancel":
            world.send(e.CancelRequested(at=0.0, job=draw.draw(st.sampled_from(keys))))
        case _:
            pass


def _lift(world: MergeWorld) -> None:
    """With nothing under way, only a person's hold may keep a queue from going on."""
    held = [queue.repo for queue in world.state.queues.values() if queue.held and queue.items]
    assert held, "nothing is under way, and the run is not over"
    world.send(e.QueueHoldSet(at=0.0, repo=held[0], held=False))


@settings(deadline=None)
@given(world=worlds(), draw=st.data())
def test_a_queue_empties_and_lands_in_order_what_was_seen_green(world: MergeWorld, draw: st.DataObject) -> None:
    """MERGE-1, MERGE-2, MERGE-3: landing order is queue order; nothing lands untested on its final base; the target
    is green after each landing; a queue with finite failures empties. RECOVER-1: nothing lands twice.
    """
    run_to_the_end(world, draw)
    for repo in world.history:
        assert world.landed[repo] == [key for key in world.queued[repo] if key in world.landed[repo]]
        for commit in world.history[repo]:
            holds = world.trees[commit].holds
            assert len({name.rpartition("@")[0] for name in holds}) == len(holds), "a branch landed twice"
            assert world.rules.red_base or not world.is_red(commit)
    for key, ended in world.ended.items():
        landed = any(name.startswith(f"{key}@") for name in _final(world, key.repo))
        assert (ended.status is JobStatus.PASSED) == landed, f"{key} ended {ended.status}, landed: {landed}"


def _final(world: MergeWorld, repo: str) -> tuple[str, ...]:
    tip = world.targets[repo]
    return world.trees[tip].holds if tip is not None else ()


@settings(deadline=None)
@given(world=worlds(), draw=st.data())
def test_gates_of_a_queue_stay_within_its_window(world: MergeWorld, draw: st.DataObject) -> None:
    """WAVE-1, MERGE-3: at most `merge.window` builds of a queue are gated at once; WAVE-7: at most cap in flight."""
    run_to_the_end(world, draw)
    assert world.gating_peak <= sum(repo.merge.window for repo in world.plan.repos if repo.merge)
