"""When a long session is asked to end (RECOVER-7): in virtual time, with signs that tests give."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from tests.unit.agents.built_in import ask

from weft.execution.checkpoint import PATIENCE, Checkpoint
from weft.execution.stall import Sign
from weft.execution.vigils import checkpoint_of
from weft.model.plan import AgentKind

AFTER = 1800.0


def now() -> float:
    return asyncio.get_running_loop().time()


def busy(when: Callable[[float], bool]) -> Sign:
    async def look(since: float) -> bool:
        return when(now())

    return look


async def asked_at(*signs: Sign, timeout: float = 10 * AFTER) -> float:
    vigil = Checkpoint(AFTER, timeout, signs, now())
    while True:
        await asyncio.sleep(vigil.due - now())
        if await vigil.over(now()):
            return now()


@pytest.mark.asyncio
async def test_the_first_calm_second() -> None:
    """Not before its time; then as soon as nothing is busy and nothing changes (RECOVER-7)."""
    assert await asked_at(busy(lambda at: False), busy(lambda at: False)) == AFTER + 1


@pytest.mark.asyncio
async def test_in_the_middle_of_something() -> None:
    """A command that runs or a file that is written is waited for."""
    assert await asked_at(busy(lambda at: at < AFTER + 20), busy(lambda at: False)) == AFTER + 20


@pytest.mark.asyncio
async def test_any_sign_counts() -> None:
    """Files that change are as good a reason to wait as a process that works."""
    assert await asked_at(busy(lambda at: False), busy(lambda at: at < AFTER + 5)) == AFTER + 5


@pytest.mark.asyncio
async def test_a_time_limit_soon_after() -> None:
    """It cuts the patience short."""
    assert await asked_at(busy(lambda at: True), timeout=AFTER + 7) == AFTER + 7


@pytest.mark.asyncio
async def test_patience_has_an_end() -> None:
    """Whoever is busy all the time is asked all the same."""
    assert await asked_at(busy(lambda at: True)) == AFTER + PATIENCE


@pytest.mark.asyncio
async def test_the_time_limit_bounds_it() -> None:
    """The phase's `timeout` holds for each session: a checkpoint at that moment comes first, and does not wait."""
    assert await asked_at(busy(lambda at: True), timeout=AFTER) == AFTER


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, AFTER),
        ({"checkpoint": None}, 0.0),
        ({"checkpoint": 0.0}, 0.0),
        ({"writes": False}, 0.0),
        ({"timeout": 60.0}, 0.0),
        ({"timeout": AFTER}, AFTER),
    ],
)
def test_which_sessions_have_one(change: dict[str, object], expected: float, tmp_path: Path) -> None:
    """Those that write to a branch, since only a commit can be gone on from, and that may last that long."""
    request = ask(AgentKind.CLAUDE)
    phase = msgspec.structs.replace(request.phase, **{"writes": True, "checkpoint": AFTER} | change)
    job = msgspec.structs.replace(request.job, branch="weft/1")
    assert checkpoint_of(msgspec.structs.replace(request, phase=phase, job=job)) == expected
    in_place = msgspec.structs.replace(job, branch=None)
    assert checkpoint_of(msgspec.structs.replace(request, phase=phase, job=in_place)) == 0.0
