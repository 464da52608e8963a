"""Another tool's locks beside ours, in its own format (LOCK-14).

That tool has no kernel lock and no guard. So a lock of its is never overwritten: it is moved aside, looked at there,
and put back if it is not the one that was meant.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import NamedTuple

from weft.locks import moment
from weft.locks.draft import Draft
from weft.locks.folder import LockFolder, ensure
from weft.locks.holder import Holder
from weft.locks.lock_file import Seen, look
from weft.locks.names import SUFFIX
from weft.locks.staleness import judged
from weft.locks.state import Condition, LockState

_TRIES = 5


class NeighbourLock(NamedTuple):
    """One that we wrote."""

    path: str
    content: bytes

    def remove(self) -> None:
        """Only if it is still the one we wrote."""
        seen = look(self.path)
        if seen and seen.data == self.content:
            with contextlib.suppress(OSError):
                take_away(seen)


def encoded(holder: Holder, now: float) -> bytes:
    document = {
        "pid": holder.pid,
        "hostname": holder.hostname,
        "startedAt": moment.written_with_millis(now),
        "command": holder.command,
    }
    return json.dumps(document, indent=2, ensure_ascii=False).encode("utf-8", "replace")


def states(folder: LockFolder, name: str) -> list[LockState]:
    """How each neighbour's lock of that name stands, where there is one."""
    found = [look(os.path.join(each, name + SUFFIX)) for each in folder.also]
    return [judged(name, seen, folder.rules()) for seen in found if seen]


def take(folder: LockFolder, also: str, name: str, holder: Holder, *, force: bool) -> NeighbourLock | LockState:
    """Write the lock there, or answer who has it. For the one who holds our lock of that name."""
    ensure(also)
    rules = folder.rules()
    wanted = NeighbourLock(os.path.join(also, name + SUFFIX), encoded(holder, rules.now))
    draft = Draft(also, name, wanted.content)
    try:
        for _ in range(_TRIES):
            if draft.link(wanted.path):
                return wanted
            seen = look(wanted.path)
            state = judged(name, seen, rules) if seen else None
            if state and state.held and not force:
                return state
            if seen:
                take_away(seen)
        return judged(name, seen, rules) if seen else _busy(name, wanted.path)
    finally:
        draft.discard()


def take_away(seen: Seen) -> bool:
    """Remove the lock that was seen, and no other; whether it was there."""
    aside = f"{seen.path}.{os.urandom(4).hex()}.aside"
    try:
        os.rename(seen.path, aside)
    except FileNotFoundError:
        return False
    found = look(aside)
    if found and (found.device, found.inode, found.data) == (seen.device, seen.inode, seen.data):
        with contextlib.suppress(OSError):  # a folder stays there, aside
            os.unlink(aside)
        return True
    with contextlib.suppress(OSError):
        os.link(aside, seen.path)
        os.unlink(aside)
    return False


def _busy(name: str, path: str) -> LockState:
    """It came and went each time we tried: someone is at it."""
    return LockState(name, Condition.HELD, path)
