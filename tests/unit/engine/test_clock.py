"""The engine's clock does not jump when the wall clock does (RECOVER-6)."""

from __future__ import annotations

import time

import pytest

from weft.engine.clock import SteadyClock


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    readings = {"wall": 1000.0, "monotonic": 5.0}
    monkeypatch.setattr(time, "time", lambda: readings["wall"])
    monkeypatch.setattr(time, "monotonic", lambda: readings["monotonic"])
    return readings


@pytest.mark.parametrize("wall", [0.0, 990.0, 99_000.0])
def test_a_jump_of_the_wall_clock_is_not_seen(clocks: dict[str, float], wall: float) -> None:
    """Set back or ahead in the middle of a run: seconds stay seconds."""
    clock = SteadyClock()
    clocks["wall"] = wall
    clocks["monotonic"] += 7
    assert clock.now() == 1007.0


def test_it_starts_where_the_last_event_left_off_if_the_wall_clock_is_behind(clocks: dict[str, float]) -> None:
    """Events of a resumed run are never older than those before them."""
    assert SteadyClock(not_before=4000.0).now() == 4000.0
    assert SteadyClock(not_before=10.0).now() == 1000.0
