"""When a session counts as stalled (RECOVER-7): in virtual time, with signs that tests give."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from weft.execution.stall import Sign, StallWatch

LIMIT = 600.0


def now() -> float:
    return asyncio.get_running_loop().time()


def sign(shown: Callable[[float], bool], asked: list[float] | None = None) -> Sign:
    """One that there is progress whenever `shown` says so of the time."""

    async def look(since: float) -> bool:
        if asked is not None:
            asked.append(since)
        return shown(now())

    return look


async def stalled_at(*signs: Sign, until: float = 10 * LIMIT) -> float | None:
    """When the watch gives up on the session; None if it does not by then."""
    watch = StallWatch(LIMIT, signs, now())
    while now() < until:
        await asyncio.sleep(watch.due - now())
        if await watch.over(now()):
            return now()
    return None


@pytest.mark.asyncio
async def test_no_sign_at_all() -> None:
    """Without any sign it is stalled when the limit has passed, and not before (RECOVER-7)."""
    assert await stalled_at(sign(lambda at: False)) == LIMIT


@pytest.mark.asyncio
@pytest.mark.parametrize("place", [0, 1, 2])
async def test_any_one_sign_is_enough(place: int) -> None:
    """A line, a changed file or a busy child: each alone keeps it going (RECOVER-7)."""
    signs = [sign(lambda at, which=which: which == place) for which in range(3)]  # type: ignore[misc]
    assert await stalled_at(*signs) is None


@pytest.mark.asyncio
async def test_counted_from_the_last_sign() -> None:
    """What counts is the time since the last sign, found to within a tenth of the limit."""
    found = await stalled_at(sign(lambda at: at <= 1000))
    assert found is not None
    assert 1000 + LIMIT * 0.9 <= found <= 1000 + LIMIT * 1.1


@pytest.mark.asyncio
async def test_rare_signs_keep_it_going() -> None:
    """One sign in nearly every span of the limit is enough for ever."""
    assert await stalled_at(sign(lambda at: at % 540 == 0)) is None


@pytest.mark.asyncio
async def test_looks_are_few_and_the_cheapest_first() -> None:
    """A tenth of the limit lies between two looks; the dear signs are asked only where the cheap ones show nothing."""
    cheap: list[float] = []
    dear: list[float] = []
    await stalled_at(sign(lambda at: at < 900, cheap), sign(lambda at: False, dear))
    assert set(cheap) == {60.0}
    assert len(dear) == len(cheap) - 14
    assert dear[0] == 900.0, "a sign is told since when it has not been asked"


@pytest.mark.asyncio
async def test_time_that_nobody_watched() -> None:
    """After a sleep of the whole machine the agent has its time again: it could not do anything either."""
    watch = StallWatch(LIMIT, [sign(lambda at: False)], now())
    await asyncio.sleep(100 * LIMIT)
    assert not await watch.over(now())
