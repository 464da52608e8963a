"""The loop that the engine's tests stand on."""

from __future__ import annotations

import asyncio
import time

import pytest
from tests.virtual_time import EPOCH, Deadlock, VirtualClock, run_in_virtual_time


async def test_an_hour_passes_at_once() -> None:
    """Waiting costs no time."""
    began = time.monotonic()
    clock = VirtualClock()
    await clock.sleep(3600)
    assert clock.now() == pytest.approx(EPOCH + 3600)
    assert time.monotonic() - began < 60


async def test_sleepers_wake_in_the_order_of_their_deadlines() -> None:
    """As on any loop."""
    woken: list[int] = []

    async def sleeper(seconds: int) -> None:
        await asyncio.sleep(seconds)
        woken.append(seconds)

    await asyncio.gather(sleeper(3), sleeper(1), sleeper(2))
    assert woken == [1, 2, 3]


def test_a_wait_that_nothing_ends_is_an_error_at_once() -> None:
    """A hang would be found by a timeout, a minute later and without a name."""

    async def wait_for_ever() -> None:
        await asyncio.Event().wait()

    with pytest.raises(Deadlock):
        run_in_virtual_time(wait_for_ever())
