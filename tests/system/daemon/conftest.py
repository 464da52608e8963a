"""An estate with a schedule; when a test is over its daemon is gone."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.estate import Estate


@pytest.fixture
def estate(tmp_path: Path) -> Iterator[Estate]:
    estate = Estate(tmp_path)
    yield estate
    estate.go("all")
    estate.weft("daemon", "stop")
    left = estate.alive()
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left, f"processes of the test are left: {left}"
