"""What must hold after every step. Called by tests; cheap enough to call in a debugging session."""

from __future__ import annotations

from collections import Counter

from weft.scheduler.ledger import Held
from weft.scheduler.merge_queue import ItemState, MergeQueue
from weft.scheduler.pots import Pot
from weft.scheduler.state import State
from weft.scheduler.states import HOLDS_LANE, HOLDS_SLOT, JobState


def check_invariants(state: State) -> None:
    _check_limits(state)
    _check_slots(state)
    _check_lanes(state)
    _check_apart(state)
    _check_agents(state)
    _check_dependencies(state)
    _check_endings(state)
    _check_queues(state)
    _check_budget(state)


def _check_limits(state: State) -> None:
    caps = [limit.cap for limit in state.limits.values() if limit.cap is not None]
    assert state.governor_cap == min(caps, default=None), f"the governor's cap is not the smallest of {state.limits}"


def _check_slots(state: State) -> None:
    holders = [job for job in state.jobs.values() if job.has_slot]
    assert len(holders) == state.in_flight, f"{state.in_flight} in flight, {len(holders)} hold a slot"
    for job in state.jobs.values():
        in_slot_state = job.state in HOLDS_SLOT
        # A job that gave its slot up while it waited closes its workspace without one.
        assert job.has_slot == in_slot_state or job.state is JobState.CLOSING, job.story()


def _check_lanes(state: State) -> None:
    used = Counter(job.lane.name for job in state.jobs.values() if job.state in HOLDS_LANE)
    for name, lane in state.lanes.items():
        assert lane.used == used[name], f"lane {name} counts {lane.used}, {used[name]} jobs are in it"
        assert lane.used <= lane.width or lane.follows_cap, f"lane {name} is wider than {lane.width}"


def _check_apart(state: State) -> None:
    """A job counts as touching exactly as long as it has a place in its lane."""
    inside = [job for job in state.jobs.values() if job.state in HOLDS_LANE]
    touching = {job.key for job in inside if state.apart.footprint_of(job).touches}
    assert state.apart.at_work == touching, f"{state.apart.at_work} count as touching, {touching} do"


def _check_agents(state: State) -> None:
    open_sessions = Counter(job.agent for job in state.jobs.values() if job.state is JobState.SESSION)
    for name, agent in state.agents.items():
        assert agent.used == open_sessions[name], f"agent {name} counts {agent.used}, has {open_sessions[name]}"
        assert agent.limit is None or agent.used <= agent.limit, f"agent {name} is over its limit"


def _check_dependencies(state: State) -> None:
    for job in state.jobs.values():
        if job.state in (JobState.WAITING, JobState.ENDED):
            continue
        for key in job.job.depends_on:
            status = state.jobs[key].status
            assert status is not None, f"{job.story()} runs before {key} has ended"
            assert status.done, f"{job.story()} runs though {key} ended {status.value}"
        # Not so for `after`: by a user's retry, what it came after may be running again.


def _check_endings(state: State) -> None:
    left = sum(1 for job in state.jobs.values() if job.state is not JobState.ENDED)
    assert left == state.remaining, f"{state.remaining} remaining, {left} have not ended"
    ended = left == 0 and state.plan is not None and not state.handing_off
    assert state.over == ended, "a run is over when all its jobs have ended and its work is handed over"
    for repo, handoff in state.handoffs.items():
        jobs = [job for job in state.jobs.values() if job.key.repo == repo and job.state is not JobState.ENDED]
        assert handoff.left == len(jobs), f"{handoff.left} are left of {repo}, {len(jobs)} have not ended"
    for job in state.jobs.values():
        assert job.ending is not None or job.state is not JobState.ENDED, job.story()


def _check_queues(state: State) -> None:
    assert not state.unsettled, "a queue was touched and not looked at"
    queued = Counter(job.key.repo for job in state.jobs.values() if job.state is JobState.QUEUED)
    for repo, queue in state.queues.items():
        assert len(queue.items) == queued[repo], f"{queued[repo]} jobs are queued, {len(queue.items)} stand in line"
        assert all(item.job.item is item and item.job.state is JobState.QUEUED for item in queue.items), repo
        _check_chain(queue)


def _check_chain(queue: MergeQueue) -> None:
    """Each is built on the one before it; only the first lands; no more are built than the window allows."""
    assert 1 <= queue.window <= queue.into.window
    onto = queue.tip
    for item in queue.chain():
        if onto is not None:
            assert item.onto == onto, f"{item.job.key} is built on something else"
        onto = item.commit
    landing = [item for item in queue.items if item.state is ItemState.LANDING]
    assert not landing or landing == [queue.items[0]], "only the first lands"


def _check_budget(state: State) -> None:
    """Never over budget but by what sessions used beyond what was set aside for them (BUDGET-1)."""
    ledger = state.ledger
    if ledger is None:
        return
    under_way = {job.attempt for job in state.jobs.values() if job.state is JobState.SESSION}
    assert set(ledger.open) == under_way, f"set aside for {set(ledger.open)}, under way are {under_way}"
    waiting = {job.key for job in state.jobs.values() if job.state is JobState.BUDGET}
    listed = [job.key for job in ledger.waiting if job.state is JobState.BUDGET]
    assert sorted(listed) == sorted(waiting), f"{waiting} wait for a budget, {listed} are to be woken"
    for pot in ledger.pots:
        _check_pot(pot, [held for held in ledger.open.values() if pot in held.pots])


def _check_pot(pot: Pot, open_: list[Held]) -> None:
    unit = pot.limit.unit
    held = sum(max(one.reserved.of(unit), one.seen.of(unit)) for one in open_)
    assert pot.open == len(open_), f"{pot.limit.key}: {pot.open} sessions counted, {len(open_)} are under way"
    assert abs(pot.held - held) < 1e-6, f"{pot.limit.key}: {pot.held} set aside, it should be {held}"
    kept_to = pot.before + pot.spent + pot.held - pot.excess
    assert kept_to <= max(pot.limit.amount, pot.limit.before) + 1e-6, f"over budget: {pot.text()}"
