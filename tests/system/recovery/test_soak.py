"""Kills at random instants, over and over, until the run is done (RECOVER-5). A failure names its seed."""

from __future__ import annotations

import random
import subprocess
import time
from pathlib import Path

import pytest
from tests.system.recovery.outcome import (
    Outcome,
    check_no_process,
    check_nothing_paid_twice,
    outcome,
    recover_and_compare,
)
from tests.system.recovery.world import ISSUES, World, kill, kill_together

from weft.processes import identity_of
from weft.stores.claims import read_claim

LONGEST = 2.5
"""Seconds; about what an uninterrupted run takes."""
KILLS = 4
"""In one run, at most; then it may end."""


class Killer:
    """Starts Weft and kills it, or its warden, or both, or has git do it, as chance will have it."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.chance = random.Random(seed)
        self.done: list[str] = []

    def strike(self, *args: str) -> None:
        way = self.chance.choice(["weft", "weft", "both", "warden", "git"])
        delay = self.chance.uniform(0.0, LONGEST)
        if way == "git":
            how, call = self.chance.choice(["before", "after", "outlives", "middle"]), self.chance.randint(1, 20)
            self.done.append(f"{args[0]}: git {how} call {call}")
            self.world.weft(*args, **self.world.with_killing_git(how, call))
            return
        self.done.append(f"{args[0]}: {way} after {delay:.3f} s")
        process = self.world.start(*args)
        time.sleep(delay)  # the instant is what is being tried
        self._kill(way, process)
        self.world.wait(process)

    def _kill(self, way: str, process: subprocess.Popen[str]) -> None:
        warden = self._warden()
        if process.poll() is not None:
            return
        if way == "both" and warden is not None:
            kill_together(process.pid, warden)
        elif way == "warden" and warden is not None:
            kill(warden)
        elif way != "warden":
            kill(process.pid)

    def _warden(self) -> int | None:
        if not (self.world.state / "weft.db").exists():
            return None
        records = [read_claim(self.world.state, run) for run in self.world.runs]
        wardens = [record.warden for record in records if record and record.warden]
        return next((each.pid for each in wardens if identity_of(each.pid) == each), None)


def soak(world: World, uninterrupted: Outcome, seed: int) -> None:
    killer = Killer(world, seed)
    killer.strike("run", *ISSUES, "--json")
    if (world.state / "weft.db").exists() and world.runs:
        for _ in range(killer.chance.randint(0, KILLS - 1)):
            killer.strike("recover", "--json")
    try:
        _finish(world, uninterrupted)
    except AssertionError as failure:
        raise AssertionError(f"seed {seed}: {'; '.join(killer.done)}\n{failure}") from failure


def _finish(world: World, uninterrupted: Outcome) -> None:
    if not (world.state / "weft.db").exists() or not world.runs:
        answer = world.weft("run", *ISSUES, "--json")  # it was killed before it had begun anything
        assert outcome(world, answer) == uninterrupted._replace(checkout=world.checkout), answer.err
        check_nothing_paid_twice(world, world.runs[0])
        check_no_process(world.runs[0])
        return
    recover_and_compare(world, uninterrupted)


@pytest.mark.parametrize("seed", range(6))
def test_some_seeds(world: World, uninterrupted: Outcome, seed: int) -> None:
    """A run that is killed several times over ends like one that never was (RECOVER-1, RECOVER-5)."""
    soak(world, uninterrupted, seed)


@pytest.mark.full
@pytest.mark.parametrize("batch", range(12))
def test_seeds_of_the_day(tmp_path: Path, uninterrupted: Outcome, batch: int) -> None:
    """The same with seeds that differ from one time to the next."""
    for number in range(3):
        world = World(tmp_path / str(number))
        soak(world, uninterrupted, random.SystemRandom().randrange(10**9) * 100 + batch)
