"""PERF-10: taking and giving back a lock; and 16 processes that race for one, 10,000 times."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.row import Bound, Row
from benchmarks.timing import best, wall_seconds
from weft.locks.acquire import acquire
from weft.locks.folder import LockFolder
from weft.locks.held import HeldLock
from weft.locks.holder import Claim

TURNS = 1_000
TRIES = 15
PROCESSES = 16
ROUNDS = 10_000
ROOT = Path(__file__).parents[1]


def measure() -> list[Row]:
    return [one_process(), race("free"), race("stale")]


def one_process() -> Row:
    with tempfile.TemporaryDirectory() as folder:
        locks = LockFolder(folder)
        seconds = best(TRIES, lambda: wall_seconds(lambda: take_and_give_back(locks))[0])
    rate = TURNS / seconds
    return Row(
        10, "locks: acquire + release, one process", f"{rate:,.0f}/s", rate, Bound.AT_LEAST, required=2_000, unit="/s"
    )


def take_and_give_back(locks: LockFolder) -> None:
    for _ in range(TURNS):
        lock = acquire(locks, "604", Claim("weft run 604"))
        assert isinstance(lock, HeldLock)
        lock.release()


def race(kind: str) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        argv = [sys.executable, "-m", "tests.support.lock_race", kind, str(PROCESSES), str(ROUNDS), folder]
        seconds, done = wall_seconds(lambda: subprocess.run(argv, cwd=ROOT, stdout=subprocess.PIPE, check=True))
    winners: dict[str, int] = json.loads(done.stdout)
    wrong = sum(count for number, count in winners.items() if number != "1")
    work = f"locks: {PROCESSES} processes race for one {kind} lock, {ROUNDS:,} rounds"
    measured = f"{winners.get('1', 0):,} rounds with exactly one winner, {wrong:,} without ({seconds:.0f} s)"
    return Row(10, work, measured, float(wrong), Bound.AT_MOST, required=0, unit="rounds")
