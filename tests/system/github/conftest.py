"""A shop whose issues are on a GitHub server on loopback; when a test is over nothing of it may be left running."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.github_server import GithubServer
from tests.support.github_shop import GithubShop
from tests.support.shop import Shop


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GithubServer]:
    with GithubServer(tmp_path) as server:
        yield server


@pytest.fixture
def hub(tmp_path: Path, github: GithubServer) -> Iterator[GithubShop]:
    hub = GithubShop(Shop(tmp_path / "user"), github)
    yield hub
    left = hub.shop.alive()
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left, f"processes of the test are left: {left}"
