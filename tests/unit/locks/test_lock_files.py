"""Whatever is in the place of a lock file wedges no command and crashes none (LOCK-2)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from weft.errors import LockFolderError
from weft.locks.acquire import acquire
from weft.locks.clearing import clear, release_by_pid
from weft.locks.folder import LockFolder
from weft.locks.held import HeldLock
from weft.locks.holder import Claim
from weft.locks.looking import check, list_locks
from weft.locks.messages import blocked
from weft.locks.signalling import SignalOutcome, signal_holder
from weft.locks.state import Condition, LockState

CLAIM = Claim("weft run 604")
LONG_AGO = 1_000_000_000


def _folder_with_content(path: Path) -> None:
    path.mkdir()
    (path / "notes.txt").write_text("keep me")
    os.utime(path, (LONG_AGO, LONG_AGO))


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(10**12)


ODD: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.touch(),
    "half": lambda path: path.write_text('{"issue": "604", "pid": 12'),
    "not an object": lambda path: path.write_text("[1]"),
    "another encoding": lambda path: path.write_bytes('{"pid": 1, "hostname": "é"}'.encode("latin-1")),
    "huge": _huge,
    "a link to nowhere": lambda path: path.symlink_to("/nonexistent/604"),
    "a link to a file": lambda path: path.symlink_to("/etc/hostname"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "an empty folder": lambda path: path.mkdir(),
    "a folder": _folder_with_content,
    "a fifo": os.mkfifo,
}


@pytest.fixture
def folder(tmp_path: Path) -> LockFolder:
    (tmp_path / "locks").mkdir()
    return LockFolder(str(tmp_path / "locks"))


@pytest.fixture(params=list(ODD))
def odd(request: pytest.FixtureRequest, folder: LockFolder) -> Path:
    path = Path(folder.file("604"))
    ODD[request.param](path)
    _date(path, None)
    return path


def _date(path: Path, moment: int | None) -> None:
    os.utime(path, None if moment is None else (moment, moment), follow_symlinks=False)


def test_it_is_held_by_an_unknown_holder(folder: LockFolder, odd: Path) -> None:
    """It blocks like a holder on another host, is listed, and is refused to `clear` and `release`."""
    state = acquire(folder, "604", CLAIM)
    assert isinstance(state, LockState)
    assert "Issue #604 is being worked on by an unknown holder since" in blocked(state)
    assert [(listed.name, listed.holder, listed.held) for listed in list_locks(folder)] == [("604", None, True)]
    assert signal_holder(state) is SignalOutcome.CROSS_HOST
    assert not clear(folder, "604").ok
    assert not release_by_pid(folder, "604", os.getpid()).ok
    assert os.path.lexists(odd)


def test_it_is_cleared_by_force(folder: LockFolder, odd: Path) -> None:
    """So that nobody is stuck."""
    assert clear(folder, "604", force=True).ok
    assert check(folder, "604").condition is Condition.FREE
    assert not os.path.lexists(odd)


def test_it_is_taken_over_by_force(folder: LockFolder, odd: Path) -> None:
    """As any lock (LOCK-7)."""
    lock = acquire(folder, "604", CLAIM, force=True)
    assert isinstance(lock, HeldLock)
    assert lock.still_mine()
    lock.release()


def test_it_is_stale_in_the_end(folder: LockFolder, odd: Path) -> None:
    """When it was not touched for `locks.remote_ttl` the next one has it."""
    _date(odd, LONG_AGO)
    assert check(folder, "604").condition is Condition.STALE
    lock = acquire(folder, "604", CLAIM)
    assert isinstance(lock, HeldLock)
    assert lock.still_mine()
    lock.release()


def test_what_a_folder_holds_is_kept(folder: LockFolder) -> None:
    """Nothing is deleted on a guess: it is moved aside."""
    _folder_with_content(Path(folder.file("604")))
    assert clear(folder, "604", force=True).ok
    kept = [path.read_text() for path in Path(folder.path).glob("604.lock.*.aside/notes.txt")]
    assert kept == ["keep me"]
    assert list_locks(folder) == []


def test_what_a_link_points_to_is_left_alone(folder: LockFolder, tmp_path: Path) -> None:
    """A link is never followed, neither to read nor to write."""
    target = tmp_path / "target"
    target.write_text('{"pid": 1, "hostname": "other"}')
    Path(folder.file("604")).symlink_to(target)
    assert check(folder, "604").holder is None
    lock = acquire(folder, "604", CLAIM, force=True)
    assert isinstance(lock, HeldLock)
    lock.release()
    assert target.read_text() == '{"pid": 1, "hostname": "other"}'


def test_a_read_only_file_is_read_and_replaced(folder: LockFolder) -> None:
    """What counts is the folder."""
    path = Path(folder.file("604"))
    path.write_text('{"pid": 1, "hostname": "elsewhere"}')
    path.chmod(0o444)
    _date(path, LONG_AGO)
    with_it = acquire(folder, "604", CLAIM)
    assert isinstance(with_it, HeldLock)
    with_it.release()


def test_other_names_are_not_locks(folder: LockFolder) -> None:
    """What people leave in the folder is not shown as one."""
    for name in ("12abc.lock", "notes.txt", ".lock", "a b.lock", "-1.lock"):
        Path(folder.path, name).touch()
    assert list_locks(folder) == []


def test_a_full_disk_is_an_error_and_leaves_nothing(folder: LockFolder) -> None:
    """Not a lock that is cut off (LOCK-1, LOCK-11). A limit on files' sizes stands for the full disk."""
    program = f"""
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
from weft.errors import LockFolderError
from weft.locks.acquire import acquire
from weft.locks.folder import LockFolder
from weft.locks.holder import Claim
try:
    acquire(LockFolder({folder.path!r}), "604", Claim("x"))
except LockFolderError as error:
    print(error.message)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "cannot be used" in done.stdout
    assert [path.name for path in Path(folder.path).iterdir()] == []


def test_too_many_open_files_is_an_error_that_says_so(folder: LockFolder) -> None:
    """Each lock that is held is an open file."""
    program = f"""
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
from weft.errors import LockFolderError
from weft.locks.acquire import acquire
from weft.locks.folder import LockFolder
from weft.locks.holder import Claim
held = []
try:
    for number in range(1, 100):
        held.append(acquire(LockFolder({folder.path!r}), str(number), Claim("x")))
except LockFolderError as error:
    print(error.message, error.hint)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "Too many open files" in done.stdout
    assert "ulimit" in done.stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_an_error(folder: LockFolder) -> None:
    """Neither taken for free nor a defect (LOCK-11)."""
    Path(folder.path).chmod(0)
    try:
        for attempt in (lambda: check(folder, "604"), lambda: acquire(folder, "604", CLAIM), folder.ensure):
            with pytest.raises(LockFolderError, match="Permission denied"):
                attempt()
    finally:
        Path(folder.path).chmod(0o755)
