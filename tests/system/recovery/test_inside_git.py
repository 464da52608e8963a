"""kill -9 inside git and between a ref's update and its event (RECOVER-5)."""

from __future__ import annotations

import pytest
from tests.system.recovery.outcome import Outcome, recover_and_compare
from tests.system.recovery.world import ISSUES, World

CALLS = 24
"""One more than an uninterrupted run has of git calls that write."""
WAYS = ("before", "after", "outlives", "middle")


def killed_in_git(world: World, uninterrupted: Outcome, how: str, call: int) -> None:
    world.weft("run", *ISSUES, "--json", **world.with_killing_git(how, call))
    recover_and_compare(world, uninterrupted, look=how != "outlives")


@pytest.mark.parametrize(
    ("how", "call"), [("before", 5), ("after", 8), ("after", 15), ("outlives", 6), ("outlives", 14), ("middle", 11)]
)
def test_some_calls(world: World, uninterrupted: Outcome, how: str, call: int) -> None:
    """Weft dies before, under or right after a git that changes something: git is the truth, the journal the hint
    (RECOVER-2, RECOVER-5)."""
    killed_in_git(world, uninterrupted, how, call)


@pytest.mark.full
@pytest.mark.parametrize("call", range(1, CALLS + 1))
@pytest.mark.parametrize("how", WAYS)
def test_every_call(world: World, uninterrupted: Outcome, how: str, call: int) -> None:
    """The same at each call and in each way."""
    killed_in_git(world, uninterrupted, how, call)
