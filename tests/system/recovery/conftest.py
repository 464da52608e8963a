"""The uninterrupted run that all others are compared with."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.system.recovery.outcome import Outcome, outcome
from tests.system.recovery.world import ISSUES, World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture(scope="session")
def uninterrupted_chain(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    world = World(tmp_path_factory.mktemp("chain"))
    found = outcome(world, world.weft("run", *ISSUES, "--json", "--chain"))
    assert [status for status, _ in found.jobs.values()] == ["passed", "passed", "passed", "failed", "not_run"]
    return found


@pytest.fixture(scope="session")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    world = World(tmp_path_factory.mktemp("uninterrupted"))
    found = outcome(world, world.weft("run", *ISSUES, "--json"))
    assert {key: status for key, (status, _) in found.jobs.items()} == {
        "shop#1": "passed",
        "shop#2": "passed",
        "shop#3": "passed",
        "shop#4": "failed",
        "shop#5": "parked",
    }
    assert found.worktrees == ["shop.4"]
    assert found.locks == []
    return found
