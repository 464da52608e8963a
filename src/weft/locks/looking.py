"""Looking at locks: nothing is written, nothing is removed."""

from __future__ import annotations

import os
from collections.abc import Iterable

from weft.locks import neighbour
from weft.locks.folder import LockFolder
from weft.locks.lock_file import look
from weft.locks.messages import locked_by
from weft.locks.names import SUFFIX, is_name
from weft.locks.staleness import judged
from weft.locks.state import Condition, LockState


def check(folder: LockFolder, name: str) -> LockState:
    """Held if anyone has it, here or in a neighbour's folder; stale if only remains are there."""
    found = _states(folder, name)
    free = LockState(name, Condition.FREE, folder.file(name))
    return next((state for state in found if state.held), found[0] if found else free)


def list_locks(folder: LockFolder) -> list[LockState]:
    """All that are there, by name: first numbers, then the others."""
    names = _names(folder.path).union(*map(_names, folder.also)) if not folder.bypassed else set()
    ordered = sorted(names, key=lambda name: (not name.isdecimal(), len(name) if name.isdecimal() else 0, name))
    return [state for name in ordered for state in _without_mirrors(_states(folder, name))]


def warn_lines(folder: LockFolder, names: Iterable[str]) -> list[str]:
    """`#604 ⚠ locked by PID 12345 (weft run 604)` for each that is held, for commands that only look (LOCK-3)."""
    return [locked_by(state) for state in held(folder, names)]


def held(folder: LockFolder, names: Iterable[str]) -> list[LockState]:
    return [state for name in names if (state := check(folder, name)).held]


def _states(folder: LockFolder, name: str) -> list[LockState]:
    if folder.bypassed:
        return []
    seen = look(folder.file(name))
    own = [judged(name, seen, folder.rules())] if seen else []
    return own + (neighbour.states(folder, name) if folder.also else [])


def _without_mirrors(states: list[LockState]) -> list[LockState]:
    """Without what the holder of ours wrote into neighbours' folders."""
    first = states[0]
    return [state for state in states if state is first or not first.holder or _who(state) != _who(first)]


def _who(state: LockState) -> tuple[int, str] | None:
    return (state.holder.pid, state.holder.hostname) if state.holder else None


def _names(folder: str) -> set[str]:
    try:
        with os.scandir(folder) as entries:
            found = {entry.name.removesuffix(SUFFIX) for entry in entries if entry.name.endswith(SUFFIX)}
    except OSError:
        return set()
    return {name for name in found if is_name(name)}
