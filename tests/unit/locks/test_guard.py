"""A process that was stopped while it had the guard."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.errors import LockFolderError
from weft.locks import guard
from weft.locks.acquire import acquire
from weft.locks.clearing import clear
from weft.locks.folder import LockFolder
from weft.locks.held import HeldLock
from weft.locks.holder import Claim
from weft.locks.looking import check
from weft.locks.state import Condition

CLAIM = Claim("weft run 604")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LockFolder:
    monkeypatch.setattr(guard, "PATIENCE", 0.02)
    return LockFolder(str(tmp_path))


def taken(folder: LockFolder) -> HeldLock:
    lock = acquire(folder, "604", CLAIM)
    assert isinstance(lock, HeldLock)
    return lock


def test_a_free_lock_needs_no_guard(folder: LockFolder) -> None:
    """Taking one is a link, which the kernel decides."""
    with guard.guarded(folder.path):
        lock = taken(folder)
        assert lock.still_mine()
    lock.release()


def test_giving_back_does_not_wait_for_ever(folder: LockFolder) -> None:
    """The file stays, but it is stale: the next one has it at once (LOCK-6)."""
    lock = taken(folder)
    with guard.guarded(folder.path):
        lock.release()
    assert check(folder, "604").condition is Condition.STALE
    taken(folder).release()


def test_taking_over_does_not_wait_for_ever(folder: LockFolder) -> None:
    """It is an error that names the folder, not a hang."""
    taken(folder).leave()
    with guard.guarded(folder.path):
        for attempt in (lambda: acquire(folder, "604", CLAIM), lambda: clear(folder, "604")):
            with pytest.raises(LockFolderError, match="another process has kept `guard`"):
                attempt()
    assert {path.name for path in Path(folder.path).iterdir()} == {"guard", "604.lock"}


def test_a_guard_that_someone_removed(folder: LockFolder) -> None:
    """Two must not each have a guard of their own: the one at the path counts."""
    with guard.guarded(folder.path):
        Path(folder.path, guard.NAME).unlink()
        with guard.guarded(folder.path):
            assert Path(folder.path, guard.NAME).exists()
    taken(folder).release()
