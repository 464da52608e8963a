"""The real agent CLIs from their npm packages, at locked versions.

Machines without npm skip these tests, and say so; CI does not skip.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.model_server import ModelServer
from tests.system.real_agents.seat import Seat

from weft.model.plan import AgentKind

INSTALLER = Path(__file__).parents[3] / "scripts" / "install_agents.py"
MakeSeat = Callable[[AgentKind], Seat]


@pytest.fixture(scope="session")
def bin_folder() -> Path:
    """Where the CLIs are; installed on first use."""
    done = subprocess.run([sys.executable, str(INSTALLER)], capture_output=True, text=True, check=False)
    if done.returncode != 0 and os.environ.get("CI", "").lower() not in ("true", "1"):
        pytest.skip(f"NO REAL AGENTS HERE, their adapters go untested: {done.stderr.strip()[-300:]}")
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip()) / "node_modules" / ".bin"


@pytest.fixture
def ground(bin_folder: Path) -> Iterator[Path]:
    """A folder that no one else may write to: Gemini CLI takes no settings from below one where others may."""
    base = bin_folder.parents[2] / "ground"
    base.mkdir(mode=0o700, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=base))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def make_seat(bin_folder: Path, ground: Path, server: ModelServer) -> MakeSeat:
    return lambda kind: Seat(kind, bin_folder, ground, server)
