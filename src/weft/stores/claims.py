"""Which process has a run: a lock that the kernel lets go of when the process dies, and who that process is."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from types import TracebackType

import msgspec
import psutil

from weft.errors import LockedError
from weft.model.ids import RunId
from weft.model.layout import Layout
from weft.processes.identity import Identity, identity_of
from weft.stores.faults import refused
from weft.stores.folders import PRIVATE_FILE, make_folder

PATIENCE = 0.3
"""Seconds; one who only looks whether a run is claimed holds the lock for an instant."""
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class ClaimRecord(msgspec.Struct, frozen=True):
    """Who has, or had, the run. After the machine was started anew nothing of it lives."""

    process: Identity
    boot: str
    warden: Identity | None = None
    earlier: tuple[Identity, ...] = ()
    """Wardens of those who had it before, until it is known that they are gone: a recovery may be killed as well."""

    @property
    def wardens(self) -> tuple[Identity, ...]:
        """All that may still be ending what they had started."""
        return (*self.earlier, self.warden) if self.warden else self.earlier


class Claim:
    """The run is this process's until `release`, or until it dies. The descriptor is not inherited."""

    def __init__(self, fd: int, record: ClaimRecord) -> None:
        self._fd: int | None = fd
        self._record = record
        self._write()

    def __enter__(self) -> Claim:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    @property
    def earlier(self) -> tuple[Identity, ...]:
        """Wardens of those who had the run before."""
        return self._record.earlier

    def forget_earlier(self) -> None:
        """They are gone, and all that they had started with them."""
        if self._record.earlier:
            self._record = msgspec.structs.replace(self._record, earlier=())
            self._write()

    def note_warden(self, pid: int, started: str) -> None:
        """Recovery waits for the end of a dead run's warden: it must know which one that was."""
        self._record = msgspec.structs.replace(self._record, warden=Identity(pid, started))
        self._write()

    def release(self) -> None:
        """The file stays: removing it could take it from under the next one's lock."""
        if self._fd is not None:
            # Closing alone would leave it locked for as long as a child that is just starting has a copy.
            fcntl.flock(self._fd, fcntl.LOCK_UN)
            os.close(self._fd)
            self._fd = None

    def _write(self) -> None:
        """In place, since the lock is on this very file; in one write that also covers what stood there, so that no
        crash leaves half of it.
        """
        assert self._fd is not None
        content = msgspec.json.encode(self._record)
        os.pwrite(self._fd, content.ljust(os.fstat(self._fd).st_size), 0)
        os.ftruncate(self._fd, len(content))


def claim_run(state_dir: Path, run: RunId) -> Claim:
    """Take the run for this process; LockedError when a living one has it."""
    path = _path(state_dir, run)
    deadline = time.monotonic() + PATIENCE
    while (fd := _try_claim(path)) is None:
        if time.monotonic() > deadline:
            raise _taken(path, run)
        time.sleep(0.01)
    former, boot = read_claim(state_dir, run), boot_id()
    earlier = former.wardens if former is not None and former.boot == boot else ()
    return Claim(fd, ClaimRecord(_this_process(), boot, earlier=earlier))


def is_claimed(state_dir: Path, run: RunId) -> bool:
    """Whether a living process has the run, as the kernel knows it."""
    try:
        fd = os.open(_path(state_dir, run), os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        return not _lock(fd, fcntl.LOCK_SH)
    finally:
        os.close(fd)


def read_claim(state_dir: Path, run: RunId) -> ClaimRecord | None:
    """Who has or last had the run; None where nobody wrote it down."""
    try:
        return msgspec.json.decode(_path(state_dir, run).read_bytes(), type=ClaimRecord)
    except (FileNotFoundError, msgspec.DecodeError):
        return None


def boot_id() -> str:
    """Differs from one start of the machine to the next."""
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return str(int(psutil.boot_time()))


def _this_process() -> Identity:
    return identity_of(os.getpid()) or Identity(os.getpid(), "unknown")


def _path(state_dir: Path, run: RunId) -> Path:
    return Path(Layout(str(state_dir)).claim(run))


def _try_claim(path: Path) -> int | None:
    make_folder(path.parent)
    try:
        fd = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, PRIVATE_FILE)
    except OSError as error:
        raise refused(path.parent, error) from error
    if _lock(fd, fcntl.LOCK_EX) and _is_at(fd, path):
        return fd
    os.close(fd)
    return None


def _is_at(fd: int, path: Path) -> bool:
    """Whether the locked file is still the one at its path, and was not cleaned away meanwhile."""
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except FileNotFoundError:
        return False


def _lock(fd: int, kind: int) -> bool:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _taken(path: Path, run: RunId) -> LockedError:
    try:
        holder = msgspec.json.decode(path.read_bytes(), type=ClaimRecord).process.pid
        by = f"process {holder}"
    except (OSError, msgspec.DecodeError):
        by = "another process"
    return LockedError(f"run `{run}` is under way in {by}", hint=f"watch it with `weft logs {run} --follow`")
