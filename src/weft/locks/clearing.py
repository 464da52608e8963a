"""Taking away a lock that is stale, or one's own, or by force."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import NamedTuple

from weft.locks import neighbour
from weft.locks.faults import refused
from weft.locks.folder import LockFolder
from weft.locks.guard import guarded
from weft.locks.host import process
from weft.locks.lock_file import Seen, look
from weft.locks.looking import check
from weft.locks.names import SUFFIX
from weft.locks.staleness import is_process_of, judged, same_host
from weft.locks.state import LockState


class Outcome(NamedTuple):
    ok: bool
    """False: refused, and nothing was changed."""
    before: LockState
    """How the lock stood."""


def clear(folder: LockFolder, name: str, *, force: bool = False) -> Outcome:
    """Take a stale lock away; any other only by force. Nothing to clear is no refusal."""
    before = check(folder, name)
    if before.held and not force:
        return Outcome(False, before)
    if not _present(folder, name):
        return Outcome(True, before)
    refusal = _clear_own(folder, name, force=force)
    if refusal:
        return Outcome(False, refusal)
    for also in folder.also:
        _clear_neighbour(folder, also, name, force=force)
    return Outcome(True, before)


def release_by_pid(folder: LockFolder, name: str, pid: int) -> Outcome:
    """Give back the lock that `acquire_for` took for this process; refuse any other's, and that of a running Weft,
    which releases its locks by itself.
    """
    before = check(folder, name)
    if not _present(folder, name):
        return Outcome(True, before)
    with _guard(folder):
        seen = look(folder.file(name))
        if seen is None or not _belongs_to(seen, pid, folder):
            return Outcome(seen is None and not before.held, before)
        _remove(seen.path)
    for also in folder.also:
        theirs = look(os.path.join(also, name + SUFFIX))
        if theirs and theirs.holder and (theirs.holder.pid, theirs.holder.hostname) == _who(seen):
            neighbour.take_away(theirs)
    return Outcome(True, before)


def _present(folder: LockFolder, name: str) -> bool:
    """Asked first, so that nothing is made in a repo that never had a lock."""
    places = () if folder.bypassed else (folder.path, *folder.also)
    return any(os.path.lexists(os.path.join(place, name + SUFFIX)) for place in places)


def _clear_own(folder: LockFolder, name: str, *, force: bool) -> LockState | None:
    """None when it is gone."""
    if not os.path.lexists(folder.file(name)):
        return None
    with _guard(folder):
        seen = look(folder.file(name))
        state = judged(name, seen, folder.rules()) if seen else None
        if state and state.held and not force:
            return state
        if seen:
            _remove(seen.path)
    return None


def _clear_neighbour(folder: LockFolder, also: str, name: str, *, force: bool) -> None:
    seen = look(os.path.join(also, name + SUFFIX))
    if seen and (force or not judged(name, seen, folder.rules()).held):
        with contextlib.suppress(OSError):
            neighbour.take_away(seen)


def _belongs_to(seen: Seen, pid: int, folder: LockFolder) -> bool:
    holder = seen.holder
    if holder is None or holder.pid != pid or seen.kernel_locked or not same_host(holder, folder.rules().host):
        return False
    return process(pid) is None or is_process_of(holder, pid)


def _who(seen: Seen) -> tuple[int, str] | None:
    return (seen.holder.pid, seen.holder.hostname) if seen.holder else None


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except (IsADirectoryError, PermissionError):
        if not os.path.isdir(path):
            raise
        os.rename(path, f"{path}.{os.urandom(4).hex()}.aside")  # a folder may hold what matters


@contextlib.contextmanager
def _guard(folder: LockFolder) -> Iterator[None]:
    try:
        with guarded(folder.path):
            yield
    except OSError as error:
        raise refused(folder.path, error) from error
