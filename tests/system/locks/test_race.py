"""Many processes, one lock: exactly one winner each time (PERF-10). `make bench` runs 10,000 rounds of each."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.system.locks.conftest import ROOT

PROCESSES = 16
ROUNDS = 150


@pytest.mark.parametrize("kind", ["free", "stale", "mixed"])
def test_exactly_one_winner(tmp_path: Path, kind: str) -> None:
    """Of 16 that see the same free or stale lock, in each round (LOCK-5)."""
    argv = [sys.executable, "-m", "tests.support.lock_race", kind, str(PROCESSES), str(ROUNDS), str(tmp_path)]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"1": ROUNDS}
    left = {path.name for path in tmp_path.iterdir()}
    assert left <= {"guard", "604.lock"}, "no draft is left"
