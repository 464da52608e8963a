"""kill -9 around every event of the journal, then `weft recover` (RECOVER-1, RECOVER-5)."""

from __future__ import annotations

import pytest
from tests.system.recovery.outcome import Outcome, recover_and_compare
from tests.system.recovery.world import World

EVENTS = 82
"""Some more than an uninterrupted run writes; which index is which event differs from run to run."""
SAMPLE = range(3, EVENTS, 9)
OTHERS = [index for index in range(1, EVENTS + 1) if index not in SAMPLE]
BOTH = pytest.mark.parametrize("when", ["before", "after"])


@BOTH
@pytest.mark.parametrize("event", SAMPLE)
def test_killed_around_some_events(world: World, uninterrupted: Outcome, when: str, event: int) -> None:
    """A run killed around an event is recovered to what an uninterrupted one leaves (RECOVER-1, RECOVER-5)."""
    world.run_dying(when, event)
    recover_and_compare(world, uninterrupted)


@pytest.mark.full
@BOTH
@pytest.mark.parametrize("event", OTHERS)
def test_killed_around_every_other_event(world: World, uninterrupted: Outcome, when: str, event: int) -> None:
    """The same for all the others (RECOVER-5)."""
    world.run_dying(when, event)
    recover_and_compare(world, uninterrupted)


def killed_twice(world: World, uninterrupted: Outcome, first: int, second: int) -> None:
    when = ("before", "after")[(first + second) % 2]
    world.run_dying(when, first)
    world.dying(when, second, "recover", "--json")
    world.dying("after", 1, "recover", "--json")
    recover_and_compare(world, uninterrupted)


@pytest.mark.parametrize(("first", "second"), [(7, 1), (17, 2), (33, 5), (48, 9)])
def test_killed_during_the_recovery_too(world: World, uninterrupted: Outcome, first: int, second: int) -> None:
    """A recovery that is itself killed, and the next one as soon as it has said that it goes on (RECOVER-1)."""
    killed_twice(world, uninterrupted, first, second)


@pytest.mark.full
@pytest.mark.parametrize("first", range(5, 66, 15))
@pytest.mark.parametrize("second", [1, 3, 6, 11, 20])
def test_killed_during_the_recovery_at_many_events(
    world: World, uninterrupted: Outcome, first: int, second: int
) -> None:
    """The same at more places."""
    killed_twice(world, uninterrupted, first, second)


@pytest.mark.parametrize("event", [31, pytest.param(58, marks=pytest.mark.full)])
def test_killed_in_a_chain(world: World, uninterrupted_chain: Outcome, event: int) -> None:
    """Each job starts where the one before ended, also when that ended before the crash (RUN-5, RECOVER-1)."""
    world.run_dying("after", event, "--chain")
    recover_and_compare(world, uninterrupted_chain)


@pytest.mark.full
@pytest.mark.parametrize("event", range(3, EVENTS, 6))
def test_killed_in_a_chain_at_many_events(world: World, uninterrupted_chain: Outcome, event: int) -> None:
    """The same at more places."""
    world.run_dying("before", event, "--chain")
    recover_and_compare(world, uninterrupted_chain)
