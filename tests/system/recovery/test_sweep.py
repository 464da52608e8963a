"""kill -9 around every event of the journal, then `weft recover` (RECOVER-1, RECOVER-5)."""

from __future__ import annotations

import asyncio

import pytest

from tests.system.recovery.outcome import (
    Outcome,
    check_no_process,
    check_nothing_lost,
    check_nothing_paid_twice,
    outcome,
    remains,
)
from tests.system.recovery.world import World
from weft.assembly.recover import end_remains
from weft.stores.claims import read_claim

EVENTS = 75
"""Some more than an uninterrupted run writes; which index is which event differs from run to run."""
SAMPLE = range(2, EVENTS, 6)


def all_but_sample() -> list[int]:
    return [index for index in range(1, EVENTS + 1) if index not in SAMPLE]


def sweep(world: World, uninterrupted: Outcome, when: str, event: int) -> None:
    killed = world.run_dying(when, event)
    runs = world.runs
    if not runs:
        return  # not even the plan was written: nothing was begun
    (run,) = runs
    await_dead(world)
    left = remains(world)
    answer = world.weft("recover", "--json") if killed else world.weft("report", run, "--json")
    if killed and answer.document == {"runs": []}:
        answer = world.weft("report", run, "--json")  # it had just ended
    found = outcome(world, answer)
    if not killed:
        found = found._replace(code=uninterrupted.code)
    assert found == uninterrupted._replace(checkout=world.checkout), answer.err
    check_nothing_lost(world, left)
    check_nothing_paid_twice(world, run)
    check_no_process(run)
    assert world.weft("recover", "--json").document == {"runs": []}


def await_dead(world: World) -> None:
    """Only to look at what is left; recovery itself waits for the dead run's processes on its own."""
    (run,) = world.runs
    asyncio.run(end_remains(run, read_claim(world.state, run)))


@pytest.mark.parametrize("event", SAMPLE)
@pytest.mark.parametrize("when", ["before", "after"])
def test_killed_around_some_events(world: World, uninterrupted: Outcome, when: str, event: int) -> None:
    """A run killed around an event is recovered to what an uninterrupted one leaves (RECOVER-1, RECOVER-5)."""
    sweep(world, uninterrupted, when, event)


@pytest.mark.full
@pytest.mark.parametrize("event", all_but_sample())
@pytest.mark.parametrize("when", ["before", "after"])
def test_killed_around_every_other_event(world: World, uninterrupted: Outcome, when: str, event: int) -> None:
    """The same for all the others (RECOVER-5)."""
    sweep(world, uninterrupted, when, event)
