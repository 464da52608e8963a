"""Holding a lock, losing it, giving it back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from weft.errors import LockFolderError
from weft.locks.acquire import acquire, acquire_for
from weft.locks.clearing import clear, release_by_pid
from weft.locks.folder import LockFolder
from weft.locks.held import HeldLock
from weft.locks.holder import Claim, Holder
from weft.locks.looking import check, list_locks, warn_lines
from weft.locks.messages import lost
from weft.locks.state import Condition, LockState

CLAIM = Claim("weft run 604", "r-1")


@pytest.fixture
def folder(tmp_path: Path) -> LockFolder:
    return LockFolder(str(tmp_path / "locks"))


def taken(folder: LockFolder, name: str = "604", *, force: bool = False) -> HeldLock:
    lock = acquire(folder, name, CLAIM, force=force)
    assert isinstance(lock, HeldLock)
    return lock


def test_a_lock_says_who_has_it(folder: LockFolder) -> None:
    """Command and run are for those it blocks (LOCK-2)."""
    with taken(folder) as lock:
        state = check(folder, "604")
        assert state.held
        assert state.holder == lock.holder
        assert state.holder.command == "weft run 604"
        assert state.holder.run == "r-1"
        assert state.holder.flock


def test_a_held_lock_is_refused_also_to_its_holder(folder: LockFolder) -> None:
    """The same pid asking twice is a mistake (LOCK-9)."""
    with taken(folder):
        assert isinstance(acquire(folder, "604", CLAIM), LockState)


def test_nothing_but_the_lock_ends_in_lock(folder: LockFolder) -> None:
    """Drafts and the guard have other names, and no draft stays (LOCK-1)."""
    with taken(folder):
        assert {path.name for path in Path(folder.path).iterdir()} == {"604.lock"}
    assert {path.name for path in Path(folder.path).iterdir()} == {"guard"}


def test_who_is_blocked_writes_nothing(folder: LockFolder) -> None:
    """Not even for a moment."""
    with taken(folder):
        before = Path(folder.path).stat().st_mtime_ns
        assert isinstance(acquire(folder, "604", CLAIM), LockState)
        assert Path(folder.path).stat().st_mtime_ns == before


def test_the_former_holder_finds_out(folder: LockFolder) -> None:
    """After `--force` it must stop before its next write (LOCK-7)."""
    former = taken(folder)
    assert former.still_mine()
    with taken(folder, force=True) as new:
        assert not former.still_mine()
        assert new.still_mine()
        assert "was taken over by PID" in lost("604", check(folder, "604"))
        former.release()
        assert new.still_mine(), "releasing a lock that was lost must not touch the new one"


def test_a_lock_that_was_cleared_is_lost(folder: LockFolder) -> None:
    """`clear --force` is a takeover too."""
    lock = taken(folder)
    assert clear(folder, "604", force=True).ok
    assert not lock.still_mine()
    assert "was taken away" in lost("604", check(folder, "604"))
    lock.release()


def test_a_lock_that_someone_wrote_to_is_lost(folder: LockFolder) -> None:
    """The same file with another's name in it is another's."""
    lock = taken(folder)
    Path(lock.path).write_text('{"pid": 1, "hostname": "other"}')
    assert not lock.still_mine()
    lock.release()


def test_a_copy_of_the_file_is_not_the_lock(folder: LockFolder) -> None:
    """An editor that saves by renaming, or a restore, makes another file of it."""
    lock = taken(folder)
    content = Path(lock.path).read_bytes()
    Path(lock.path).unlink()
    Path(lock.path).write_bytes(content)
    assert not lock.still_mine()
    lock.release()
    assert Path(lock.path).exists(), "not ours to remove"


def test_renewing_touches_the_file(folder: LockFolder) -> None:
    """Other hosts see by it that the holder lives (LOCK-5)."""
    with taken(folder) as lock:
        os.utime(lock.path, (0, 0))
        lock.renew()
        assert Path(lock.path).stat().st_mtime > 10**9
        assert lock.still_mine()


def test_renewing_a_lost_lock_touches_nobody_elses(folder: LockFolder) -> None:
    """A former holder does not keep the new one's lock fresh."""
    former = taken(folder)
    with taken(folder, force=True) as new:
        os.utime(new.path, (0, 0))
        former.renew()
        assert Path(new.path).stat().st_mtime == 0
    former.release()


def test_releasing_twice_is_harmless(folder: LockFolder) -> None:
    """A way out may cross another."""
    lock = taken(folder)
    lock.release()
    with taken(folder) as next_one:
        lock.release()
        lock.renew()
        assert next_one.still_mine()
        assert not lock.still_mine()


def test_a_fork_does_not_keep_the_lock(folder: LockFolder) -> None:
    """A child that outlives its parent must not pass for it; nor may it give the lock back."""
    lock = taken(folder)
    ready, go = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        lock.release()
        os.write(ready[1], b"m" if lock.still_mine() else b"n")
        os.read(go[0], 1)
        os._exit(0)
    try:
        assert os.read(ready[0], 1) == b"n"
        assert lock.still_mine()
        lock.leave()  # the parent dies
        assert check(folder, "604").condition is Condition.STALE
    finally:
        os.write(go[1], b"x")
        os.waitpid(child, 0)
        for fd in (*ready, *go):
            os.close(fd)


def test_a_lock_for_another_process(folder: LockFolder) -> None:
    """`locks acquire` keeps no kernel lock: the other's identity decides (LOCK-1)."""
    holder = acquire_for(folder, "604", CLAIM, os.getpid())
    assert isinstance(holder, Holder)
    assert not holder.flock
    assert check(folder, "604").held
    assert isinstance(acquire(folder, "604", CLAIM), LockState)
    assert not release_by_pid(folder, "604", os.getppid()).ok
    assert release_by_pid(folder, "604", os.getpid()).ok
    assert check(folder, "604").condition is Condition.FREE


def test_a_running_wefts_lock_is_not_given_back_for_it(folder: LockFolder) -> None:
    """It releases its locks by itself, whoever names its pid (LOCK-6)."""
    with taken(folder) as lock:
        assert not release_by_pid(folder, "604", os.getpid()).ok
        assert lock.still_mine()


def test_nothing_to_give_back_is_no_refusal(folder: LockFolder) -> None:
    """And makes no folder in a repo that never had a lock."""
    assert release_by_pid(folder, "604", 1).ok
    assert clear(folder, "604").ok
    assert not Path(folder.path).exists()


def test_a_held_lock_is_not_cleared(folder: LockFolder) -> None:
    """Only by force (LOCK-9)."""
    with taken(folder) as lock:
        assert not clear(folder, "604").ok
        assert lock.still_mine()


def test_the_list_is_in_order(folder: LockFolder) -> None:
    """Numbers as numbers, then names."""
    names = ["10", "9", "p-1", "a"]
    locks = [taken(folder, name) for name in names]
    assert [state.name for state in list_locks(folder)] == ["9", "10", "a", "p-1"]
    assert warn_lines(folder, ["10", "11"]) == [f"#10 ⚠ locked by PID {os.getpid()} (weft run 604)"]
    for lock in locks:
        lock.release()


def test_by_oneself(tmp_path: Path) -> None:
    """With `WEFT_ORCHESTRATOR` every operation succeeds and makes no file (LOCK-10)."""
    folder = LockFolder(str(tmp_path / "locks"), bypassed=True)
    folder.ensure()
    with taken(folder) as one, taken(folder) as other:
        assert one.still_mine()
        assert other.still_mine()
        one.renew()
        assert not check(folder, "604").held
        assert list_locks(folder) == []
    assert isinstance(acquire_for(folder, "604", CLAIM, 1), Holder)
    assert release_by_pid(folder, "604", 1).ok
    assert clear(folder, "604").ok
    assert [path.name for path in Path(tmp_path).iterdir()] == []


def test_what_a_killed_process_left_is_swept(folder: LockFolder) -> None:
    """A draft that nobody is writing any more; never one that somebody is."""
    folder.ensure()
    old, young = Path(folder.path, ".1.99.abcd.new"), Path(folder.path, ".1.99.ef01.new")
    old.touch()
    young.touch()
    os.utime(old, (0, 0))
    folder.ensure()
    assert (old.exists(), young.exists()) == (False, True)


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    """Before work starts, and never a run without a lock (LOCK-11)."""
    (tmp_path / "locks").write_text("a file")
    folder = LockFolder(str(tmp_path / "locks"))
    with pytest.raises(LockFolderError, match="cannot be used"):
        folder.ensure()
    with pytest.raises(LockFolderError, match="cannot be used"):
        acquire(folder, "604", CLAIM)
    assert not check(folder, "604").held
    assert list_locks(folder) == []


def test_no_descriptor_is_left(folder: LockFolder) -> None:
    """Neither by success nor by refusal."""
    before = {path.name for path in Path("/proc/self/fd").iterdir()}
    with taken(folder):
        acquire(folder, "604", CLAIM)
        check(folder, "604")
    clear(folder, "604")
    assert {path.name for path in Path("/proc/self/fd").iterdir()} == before
