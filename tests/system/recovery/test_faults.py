"""A full disk, a read-only repo, a database that is locked or damaged, a clock that jumps (RECOVER-6): a clear message,
nothing lost, and the run can go on after."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from tests.system.recovery.outcome import Outcome, recover_and_compare
from tests.system.recovery.world import ISSUES, SUPPORT, Answer, World, until

from weft.engine.clock import SteadyClock
from weft.model.events import TimerFired

HELD = """#!/bin/sh
printf 'start %s\\n' "$3" >> "$LEDGER"
while ! [ -e {go} ]; do sleep 0.02; done
exec {agent} "$@"
"""


@pytest.fixture
def held(tmp_path: Path) -> World:
    """Its agents begin to work when the file `go` is there."""
    agent = tmp_path / "agent.sh"
    agent.write_text(HELD.format(go=tmp_path / "go", agent=SUPPORT / "working_agent.sh"))
    agent.chmod(0o755)
    return World(tmp_path, agent=agent)


def odd(world: World, what: str, *args: str) -> subprocess.Popen[str]:
    return world.spawn(sys.executable, str(SUPPORT / "odd_weft.py"), what, *args)


def statuses(answer: Answer) -> dict[str, str]:
    return {job["issue"]: job["status"] for job in answer.document["jobs"]}


# ---------------------------------------------------------------- disks

FULL_DISK = """
export WEFT_MACHINE_MIN_FREE_DISK=0  # so small a disk would not be begun on
mount -t tmpfs -o size=96m none "$WEFT_HOME" || exit 77
"$@" run 1 2 --json > "$OUT/out1" 2> "$OUT/err1" & run=$!
while [ "$(wc -l < "$LEDGER")" -lt 2 ]; do sleep 0.05; done
cat /dev/zero > "$WEFT_HOME/filler" 2> /dev/null
touch "$OUT/go"
wait $run
echo $? > "$OUT/code1"
"$@" status --json > "$OUT/status" 2>&1
rm "$WEFT_HOME/filler"
"$@" recover --json > "$OUT/out2" 2> "$OUT/err2"
echo $? > "$OUT/code2"
"""


def in_namespace(world: World, script: str) -> subprocess.CompletedProcess[str]:
    """A mount namespace of its own, where disks can be made small or read-only."""
    argv = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", sys.executable, "-m", "weft"]
    environment = world.environment | {"OUT": str(world.folder), "REPO": str(world.repo.path)}
    world.state.mkdir(exist_ok=True)
    return subprocess.run(argv, cwd=world.repo.path, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def mounts(tmp_path: Path) -> None:
    argv = ["unshare", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", str(tmp_path)]
    if shutil.which("unshare") is None or subprocess.run(argv, capture_output=True, check=False).returncode:
        pytest.skip("NOT PROVED HERE: no file system can be mounted without privileges")


def written(world: World, name: str) -> str:
    return (world.folder / name).read_text()


def test_full_disk(held: World, mounts: None) -> None:
    """The state folder's disk fills up during a run: the run ends, says so, and goes on once there is room."""
    done = in_namespace(held, FULL_DISK)
    assert done.returncode == 0, done.stderr
    err = written(held, "err1")
    assert (written(held, "code1").strip(), "no space left" in err.lower()) == ("1", True), err
    assert "`weft recover`" in err
    assert "Traceback" not in err
    assert written(held, "code2").strip() == "0", written(held, "err2")
    assert held.repo.files("weft/1-thing-1") >= {"work-1.txt", "part-1.txt"}
    assert held.repo.files("weft/2-thing-2") >= {"work-2.txt"}
    assert held.repo.checkout_state() == held.checkout


READ_ONLY = """
mount --bind "$REPO" "$REPO" && mount -o remount,ro,bind "$REPO" && cd "$REPO" || exit 77
"$@" {command} --json > "$OUT/out1" 2> "$OUT/err1"
echo $? > "$OUT/code1"
"""


def test_read_only_repo(world: World, mounts: None) -> None:
    """Nothing is begun, and the reason is told; when the repo can be written again, the same command does it all."""
    done = in_namespace(world, READ_ONLY.format(command="run 1 2"))
    assert done.returncode == 0, done.stderr
    first = Answer(int(written(world, "code1")), written(world, "out1"), written(world, "err1"))
    assert first.code == 1
    assert "Read-only file system" in first.err
    assert "hint: " in first.err
    assert "Traceback" not in first.err
    assert world.repo.checkout_state() == world.checkout
    again = world.weft("run", "1", "2", "--json")
    assert statuses(again) == {"1": "passed", "2": "passed"}, again.err


def test_recovery_in_a_read_only_repo(world: World, mounts: None, uninterrupted: Outcome) -> None:
    """Recovering is refused by the disk, says why, and changes nothing: once it can be written, the run goes on."""
    world.run_dying("after", 40)
    before = world.refs()
    done = in_namespace(world, READ_ONLY.format(command="recover"))
    assert done.returncode == 0, done.stderr
    first = Answer(int(written(world, "code1")), written(world, "out1"), written(world, "err1"))
    assert first.code == 1
    assert "Read-only file system" in first.err
    assert "hint: " in first.err
    assert "Traceback" not in first.err
    assert world.refs().items() >= before.items()
    recover_and_compare(world, uninterrupted)


# ---------------------------------------------------------------- the database


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """As a backup program or a hung process would."""
    connection = sqlite3.connect(database)
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.rollback()
    finally:
        connection.close()


def test_database_locked_for_long(held: World, uninterrupted: Outcome) -> None:
    """Patience comes to an end: the run says so and stops, and goes on later with nothing lost."""
    process = odd(held, "patience=1", "run", *ISSUES, "--json")
    until(lambda: len(held.noted()) >= 3)
    with locked(held.state / "weft.db"):
        (held.folder / "go").touch()
        answer = held.wait(process)
        refused = held.wait(odd(held, "patience=0.2", "recover"))
    for told in (answer, refused):
        assert told.code == 1, told.err
        assert f"the database `{held.state}/weft.db` stayed locked by another process" in told.err
        assert "hint: " in told.err
        assert "Traceback" not in told.err
    (held.folder / "agent.sh").write_text(f'#!/bin/sh\nexec {SUPPORT}/working_agent.sh "$@"\n')
    found = held.weft("recover", "--json")
    assert statuses(found) == {"1": "passed", "2": "passed", "3": "passed", "4": "failed", "5": "parked"}, found.err


def test_database_damaged(world: World, uninterrupted: Outcome) -> None:
    """Nothing is done with it, and nothing to it; put right, the run goes on."""
    world.run_dying("after", 25)
    database = world.state / "weft.db"
    sqlite3.connect(database).execute("PRAGMA wal_checkpoint(TRUNCATE)").connection.close()
    whole = database.read_bytes()
    damaged = whole[:4096] + b"\xa5" * (len(whole) - 4096)
    database.write_bytes(damaged)
    for command in (["recover"], ["run", "1"], ["status"]):
        answer = world.weft(*command)
        assert answer.code == 1, answer.err
        assert f"the database `{database}` is damaged" in answer.err
        assert "hint: it was left as it is" in answer.err
        assert "Traceback" not in answer.err
    assert database.read_bytes() == damaged
    database.write_bytes(whole)
    recover_and_compare(world, uninterrupted)


# ---------------------------------------------------------------- clocks


@pytest.mark.parametrize("jump", [-86400.0, 86400.0])
def test_clock_that_jumped_while_nothing_ran(world: World, uninterrupted: Outcome, jump: float) -> None:
    """The machine's clock is a day off when the run is recovered: times never go back, waits are not longer by it."""
    world.run_dying("after", 10)
    (run,) = world.runs
    answer = world.wait(odd(world, f"clock={jump}", "recover", "--json"))
    assert answer.code == uninterrupted.code, answer.err
    assert {job["key"]: (job["status"], job["reason"]) for job in answer.document["jobs"]} == uninterrupted.jobs
    times = [event.at for event in world.events(run) if not isinstance(event, TimerFired)]
    assert all(later >= earlier - 1.0 for earlier, later in pairwise(times))


async def test_clock_that_jumps_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wall clock set forward or back under a run is nothing to it."""
    clock = SteadyClock()
    before = clock.now()
    right = time.time()
    for wrong in (right + 1e6, right - 1e6):
        monkeypatch.setattr(time, "time", lambda wrong=wrong: wrong)
        await clock.sleep(0.0)
        assert before <= clock.now() < right + 3600
        before = clock.now()


def test_clock_goes_on_where_the_journal_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock set back since the last event does not make new events older than it."""
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    assert SteadyClock(not_before=5000.0).now() >= 5000.0
    assert 1000.0 <= SteadyClock(not_before=500.0).now() < 4000.0
