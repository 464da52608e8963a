"""Which process has a run."""

from __future__ import annotations

import fcntl
import os
import stat
import threading
from pathlib import Path

import pytest

from weft.errors import ExitCode, LockedError, StoreError
from weft.model.ids import RunId
from weft.processes.identity import Identity, identity_of
from weft.stores.claims import ClaimRecord, boot_id, claim_run, is_claimed, read_claim

RUN = RunId("r-1")


def test_claim_tells_who(tmp_path: Path) -> None:
    """The claim names the process so that no other is taken for it, and later its warden (RECOVER-4)."""
    myself = identity_of(os.getpid())
    assert myself is not None
    with claim_run(tmp_path, RUN) as claim:
        assert read_claim(tmp_path, RUN) == ClaimRecord(myself, boot_id())
        claim.note_warden(4_000_000, "boot-123456789")
        assert read_claim(tmp_path, RUN) == ClaimRecord(myself, boot_id(), Identity(4_000_000, "boot-123456789"))
        claim.note_warden(1, "boot-1")
    assert read_claim(tmp_path, RUN) == ClaimRecord(myself, boot_id(), Identity(1, "boot-1"))


def test_second_claim_is_refused(tmp_path: Path) -> None:
    """A run is one process's at a time; the message names it."""
    with claim_run(tmp_path, RUN), pytest.raises(LockedError, match=f"process {os.getpid()}") as caught:
        claim_run(tmp_path, RUN)
    assert caught.value.exit_code is ExitCode.LOCKED


def test_is_claimed_follows_the_lock(tmp_path: Path) -> None:
    """Claimed while it is held, not before, not after; a file that is left says nothing."""
    assert not is_claimed(tmp_path, RUN)
    with claim_run(tmp_path, RUN):
        assert is_claimed(tmp_path, RUN)
        assert not is_claimed(tmp_path, RunId("r-2"))
    assert not is_claimed(tmp_path, RUN)
    assert read_claim(tmp_path, RUN) is not None
    claim_run(tmp_path, RUN).release()


def test_one_who_looks_does_not_keep_another_out(tmp_path: Path) -> None:
    """Looking takes the lock for an instant; claiming waits that instant out."""
    claim_run(tmp_path, RUN).release()
    fd = os.open(tmp_path / "runs" / "r-1" / "claim", os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_SH)
    timer = threading.Timer(0.05, os.close, (fd,))
    timer.start()
    claim_run(tmp_path, RUN).release()
    timer.join()


def test_files_are_private(tmp_path: Path) -> None:
    """State is 0700 and 0600 (SEC-3)."""
    with claim_run(tmp_path / "state", RUN):
        path = tmp_path / "state" / "runs" / "r-1" / "claim"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert {stat.S_IMODE(folder.stat().st_mode) for folder in list(path.parents)[:3]} == {0o700}


def test_release_holds_against_a_child_that_is_just_starting(tmp_path: Path) -> None:
    """A copy of the descriptor elsewhere does not keep a claim that was released."""
    claim = claim_run(tmp_path, RUN)
    path = tmp_path / "runs" / "r-1" / "claim"
    copies = [os.dup(fd) for fd in map(int, _open_at(path))]
    claim.release()
    claimed = is_claimed(tmp_path, RUN)
    for fd in copies:
        os.close(fd)
    assert copies
    assert not claimed


def _open_at(path: Path) -> list[str]:
    links = Path("/proc/self/fd").iterdir()
    return [link.name for link in links if os.path.realpath(link) == str(path)]


def test_cleaned_away_claim_is_made_anew(tmp_path: Path) -> None:
    """After `weft clean` took the folder, a claim is a claim again."""
    claim_run(tmp_path, RUN).release()
    (tmp_path / "runs" / "r-1" / "claim").unlink()
    with claim_run(tmp_path, RUN):
        assert is_claimed(tmp_path, RUN)


@pytest.mark.parametrize("content", [b"", b"{", b'{"process": 1}', b"\xff\xfe"])
def test_unreadable_claim_is_nobodys(tmp_path: Path, content: bytes) -> None:
    """What cannot be read is unknown, not an error."""
    claim_run(tmp_path, RUN).release()
    (tmp_path / "runs" / "r-1" / "claim").write_bytes(content)
    assert read_claim(tmp_path, RUN) is None
    claim_run(tmp_path, RUN).release()


def test_state_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """A clear message where the state folder is no folder (RECOVER-6)."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="state folder"):
        claim_run(tmp_path / "file", RUN)
