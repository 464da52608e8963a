"""Another tool's locks beside ours (LOCK-14)."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from weft.locks import moment
from weft.locks.acquire import acquire, acquire_for
from weft.locks.clearing import clear, release_by_pid
from weft.locks.folder import LockFolder
from weft.locks.held import HeldLock
from weft.locks.holder import Claim, Holder
from weft.locks.looking import check, list_locks
from weft.locks.messages import blocked
from weft.locks.neighbour import take_away
from weft.locks.state import Condition, LockState

CLAIM = Claim("weft run 101")


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    folder = tmp_path / ".sequant" / "locks"
    folder.mkdir(parents=True)
    return folder / "101.lock"


@pytest.fixture
def folder(tmp_path: Path, theirs: Path) -> LockFolder:
    return LockFolder(str(tmp_path / "locks"), also=(str(theirs.parent),))


def write(path: Path, *, pid: int, age: float = 0.0, **more: object) -> None:
    """As that tool writes it."""
    document = {
        "pid": pid,
        "hostname": os.uname().nodename,
        "startedAt": moment.written_with_millis(time.time() - age),
        "command": "npx sequant run 101 102",
        **more,
    }
    path.write_text(json.dumps(document, indent=2))


def ended() -> int:
    child = subprocess.Popen(["/bin/true"])
    child.wait()
    return child.pid


def test_one_is_written_there_in_that_tools_format(folder: LockFolder, theirs: Path) -> None:
    """And taken away again with ours."""
    lock = acquire(folder, "101", CLAIM)
    assert isinstance(lock, HeldLock)
    document = json.loads(theirs.read_text())
    assert list(document) == ["pid", "hostname", "startedAt", "command"]
    assert (document["pid"], document["command"]) == (os.getpid(), "weft run 101")
    assert moment.read(document["startedAt"]) == pytest.approx(time.time(), abs=60)
    assert len(document["startedAt"]) == len("2026-11-16T09:44:23.256Z")
    assert [path.name for path in Path(theirs.parent).iterdir()] == ["101.lock"]
    assert [state.path for state in list_locks(folder)] == [lock.path], "ours and its mirror are one lock"
    lock.release()
    assert [path.name for path in Path(theirs.parent).iterdir()] == []


def test_theirs_is_honoured_and_ours_given_back(folder: LockFolder, theirs: Path) -> None:
    """All or none: who is blocked there keeps nothing here."""
    write(theirs, pid=os.getpid())
    state = acquire(folder, "101", CLAIM)
    assert isinstance(state, LockState)
    assert f"Issue #101 is being worked on by PID {os.getpid()} since" in blocked(state)
    assert "(npx sequant run 101 102)" in blocked(state)
    assert not Path(folder.file("101")).exists()
    assert check(folder, "101").held
    assert [listed.path for listed in list_locks(folder)] == [str(theirs)]
    assert not clear(folder, "101").ok
    assert theirs.exists()


def test_a_dead_ones_is_taken_over(folder: LockFolder, theirs: Path) -> None:
    """As that tool does itself."""
    write(theirs, pid=ended())
    assert check(folder, "101").condition is Condition.STALE
    lock = acquire(folder, "101", CLAIM)
    assert isinstance(lock, HeldLock)
    assert json.loads(theirs.read_text())["pid"] == os.getpid()
    lock.release()


@pytest.mark.parametrize(("age", "held"), [(21_000, True), (22_000, False)])
def test_where_the_pid_says_nothing_six_hours_count(folder: LockFolder, theirs: Path, age: float, held: bool) -> None:
    """`skipPidCheck` is written where the process that took it has ended long since."""
    write(theirs, pid=ended(), age=age, skipPidCheck=True)
    assert check(folder, "101").held is held


def test_another_hosts_counts_for_two_hours(folder: LockFolder, theirs: Path) -> None:
    """By the age of its file."""
    write(theirs, pid=1, hostname="elsewhere")
    assert check(folder, "101").held
    os.utime(theirs, (time.time() - 7300,) * 2)
    assert not check(folder, "101").held


def test_by_force_theirs_is_taken_over_too(folder: LockFolder, theirs: Path) -> None:
    """As any lock (LOCK-7)."""
    write(theirs, pid=os.getpid())
    lock = acquire(folder, "101", CLAIM, force=True)
    assert isinstance(lock, HeldLock)
    assert json.loads(theirs.read_text())["command"] == "weft run 101"
    lock.release()
    assert not theirs.exists()


def test_what_they_took_over_from_us_is_left_to_them(folder: LockFolder, theirs: Path) -> None:
    """Releasing ours removes only what we wrote."""
    lock = acquire(folder, "101", CLAIM)
    assert isinstance(lock, HeldLock)
    write(theirs, pid=os.getppid())
    lock.release()
    assert json.loads(theirs.read_text())["pid"] == os.getppid()


def test_a_lock_for_another_process_has_its_mirror(folder: LockFolder, theirs: Path) -> None:
    """`locks acquire` and `locks release` keep both in step."""
    assert isinstance(acquire_for(folder, "101", CLAIM, os.getpid()), Holder)
    assert theirs.exists()
    assert release_by_pid(folder, "101", os.getpid()).ok
    assert not theirs.exists()


def test_clearing_clears_both(folder: LockFolder, theirs: Path) -> None:
    """A stale one at once, a held one by force."""
    write(theirs, pid=ended())
    assert clear(folder, "101").ok
    assert not theirs.exists()
    write(theirs, pid=os.getpid())
    assert clear(folder, "101", force=True).ok
    assert not theirs.exists()


def test_a_fresh_lock_is_never_removed_by_mistake(theirs: Path) -> None:
    """That tool may have replaced the stale one since it was looked at: then it is put back."""
    from weft.locks.lock_file import look

    write(theirs, pid=ended())
    seen = look(str(theirs))
    assert seen is not None
    theirs.unlink()
    write(theirs, pid=os.getpid())
    fresh = theirs.read_text()
    assert not take_away(seen)
    assert theirs.read_text() == fresh
    assert [path.name for path in Path(theirs.parent).iterdir()] == ["101.lock"]


def test_its_folder_is_made(tmp_path: Path) -> None:
    """So that the other tool, once it comes, finds ours."""
    folder = LockFolder(str(tmp_path / "locks"), also=(str(tmp_path / ".sequant" / "locks"),))
    lock = acquire(folder, "101", CLAIM)
    assert isinstance(lock, HeldLock)
    assert (tmp_path / ".sequant" / "locks" / "101.lock").exists()
    lock.release()
