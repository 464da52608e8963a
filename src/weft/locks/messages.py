"""What people are told about locks. Lock files are anyone's to write: what they say is made harmless first."""

from __future__ import annotations

from weft.locks import moment
from weft.locks.names import label, titled
from weft.locks.state import LockState

_LONGEST = 200
ADVICE = "Use --force to take over, or wait for the other session."


def blocked(state: LockState) -> str:
    """LOCK-4, for one alone."""
    return f"{titled(state.name)} is being worked on by {who(state)}{_since(state)} ({what(state)}). {ADVICE}"


def locked_by(state: LockState, sign: str = "⚠") -> str:
    """LOCK-4, for one among several."""
    return f"{label(state.name)} {sign} locked by {who(state)} ({what(state)})"


def lost(name: str, state: LockState) -> str:
    """LOCK-7: what a holder says when it finds that its lock is no longer its own."""
    how = f"taken over by {who(state)} ({what(state)})" if state.held else "taken away"
    return f"The lock on {label(name)} was {how}; stopping before the next write to the repo"


def who(state: LockState) -> str:
    return f"PID {state.holder.pid}" if state.holder else "an unknown holder"


def what(state: LockState) -> str:
    if state.holder is None:
        return f"its lock file `{state.path}` cannot be read"
    return harmless(state.holder.command)


def harmless(text: str) -> str:
    """In one line, without what a terminal would act on."""
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in short)


def _since(state: LockState) -> str:
    return f" since {moment.written(state.since)}" if state.since is not None else ""
