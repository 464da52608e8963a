"""Taking a lock (LOCK-1, LOCK-5): of any number that want it, exactly one has it.

1. The lock file is written aside, whole and kernel-locked, and linked to its name: the kernel lets one succeed.
2. Where there is one already, it is judged under the guard. Nobody removes or replaces a lock without the guard, and
   nobody links over one; so a stale lock that was seen there is still there when our file is moved over it.
"""

from __future__ import annotations

import os
import time

from weft.locks import host, moment, neighbour
from weft.locks.draft import Draft
from weft.locks.faults import refused
from weft.locks.folder import LockFolder
from weft.locks.guard import guarded
from weft.locks.held import HeldLock, NoLock
from weft.locks.holder import Claim, Holder, encoded
from weft.locks.lock_file import look
from weft.locks.staleness import judged
from weft.locks.state import LockState


def acquire(folder: LockFolder, name: str, claim: Claim, *, force: bool = False) -> HeldLock | LockState:
    """The lock, held by this process until it is released; or how the lock stands that is in the way.

    With `force`, whoever has it loses it, and finds out by `still_mine`. LockFolderError where no lock can be written.
    """
    holder = _holder(os.getpid(), claim, flock=True)
    if folder.bypassed:
        return NoLock(name, folder.file(name), holder)
    return _acquire(folder, name, holder, force=force)


def acquire_for(folder: LockFolder, name: str, claim: Claim, pid: int, *, force: bool = False) -> Holder | LockState:
    """The same for another process, which keeps no kernel lock: its identity says whether it lives."""
    holder = _holder(pid, claim, flock=False)
    if folder.bypassed:
        return holder
    taken = _acquire(folder, name, holder, force=force)
    if isinstance(taken, LockState):
        return taken
    taken.leave()
    return holder


def _holder(pid: int, claim: Claim, *, flock: bool) -> Holder:
    here, living = host.this_host(), None if flock else host.process(pid)
    started = host.own_start(pid) if flock else living.started if living else None
    taken_at = moment.written(time.time())
    return Holder(pid, here.name, claim.command, taken_at, claim.run, here.boot_id, started, here.pid_namespace, flock)


def _acquire(folder: LockFolder, name: str, holder: Holder, *, force: bool) -> HeldLock | LockState:
    content = encoded(name, holder)
    try:
        taken = _blocking(folder, name, force=force) or _take(folder, name, content, force=force)
    except OSError as error:
        raise refused(folder.path, error) from error
    if isinstance(taken, LockState):
        return taken
    lock = HeldLock(name, folder.file(name), holder, taken.fd, content)
    return _with_neighbours(folder, lock, force=force) if folder.also else lock


def _blocking(folder: LockFolder, name: str, *, force: bool) -> LockState | None:
    """A first look, so that who is blocked writes nothing."""
    seen = None if force else look(folder.file(name))
    state = judged(name, seen, folder.rules()) if seen else None
    return state if state and state.held else None


def _take(folder: LockFolder, name: str, content: bytes, *, force: bool) -> Draft | LockState:
    draft = _drafted(folder, name, content)
    try:
        blocking = None if draft.link(folder.file(name)) else _take_over(folder, name, draft, force=force)
    except BaseException:
        draft.discard()
        raise
    if blocking:
        draft.discard()
    return blocking or draft


def _drafted(folder: LockFolder, name: str, content: bytes) -> Draft:
    try:
        return Draft(folder.path, name, content)
    except FileNotFoundError:
        folder.ensure()
        return Draft(folder.path, name, content)


def _take_over(folder: LockFolder, name: str, draft: Draft, *, force: bool) -> LockState | None:
    """None when the draft is the lock now."""
    path = folder.file(name)
    with guarded(folder.path):
        # Where it was released meanwhile, it is anyone's again, and one who needs no guard may be faster.
        while not (seen := look(path)):
            if draft.link(path):
                return None
        state = judged(name, seen, folder.rules())
        if state.held and not force:
            return state
        draft.replace(path)
    return None


def _with_neighbours(folder: LockFolder, lock: HeldLock, *, force: bool) -> HeldLock | LockState:
    """All or none: where a neighbour's lock is held, ours is given back."""
    try:
        for also in folder.also:
            taken = neighbour.take(folder, also, lock.name, lock.holder, force=force)
            if isinstance(taken, LockState):
                lock.release()
                return taken
            lock.add(taken)
    except OSError as error:
        lock.release()
        raise refused(folder.path, error) from error
    except BaseException:
        lock.release()
        raise
    return lock
