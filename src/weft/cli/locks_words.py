"""What the `locks` commands print."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from weft.errors import ExitCode, LockedError
from weft.locks import moment
from weft.locks.messages import harmless, locked_by, what, who
from weft.locks.names import label
from weft.locks.state import Condition, LockState

_UNITS = ((86400, "d"), (3600, "h"), (60, "m"), (1, "s"))


def answer(state: LockState, message: str, *, ok: bool, as_json: bool) -> int:
    """What was done, on stdout."""
    if as_json:
        print_json(_document(state, message, ok=ok))
    else:
        sys.stdout.write(f"{message}\n")
        sys.stdout.flush()
    return ExitCode.OK


def refuse(state: LockState, message: str, *, hint: str | None, as_json: bool) -> int:
    """What was not done, and why: exit 3."""
    if not as_json:
        raise LockedError(message, hint=hint)
    print_json(_document(state, message, ok=False))
    return ExitCode.LOCKED


def print_rows(states: Sequence[LockState]) -> None:
    print_json({"locks": [row(state) for state in states]})


def print_json(document: Any) -> None:
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def row(state: LockState) -> dict[str, Any]:
    holder = state.holder
    return {
        "issue": state.name,
        "pid": holder.pid if holder else None,
        "hostname": holder.hostname if holder else None,
        "age_seconds": round(state.age, 1) if state.age is not None else None,
        "command": holder.command if holder else None,
        "stale": state.condition is Condition.STALE,
        "stale_reason": state.stale_reason,
        "path": state.path,
        "started_at": moment.written(state.since) if state.since is not None else None,
        "run": holder.run if holder else None,
    }


def table(states: Sequence[LockState]) -> str:
    cells = [("ISSUE", "PID", "HOST", "AGE", "STATE", "COMMAND"), *map(_cells, states)]
    widths = [max(len(line[column]) for line in cells) for column in range(5)]
    lines = ("  ".join(f"{cell:<{width}}" for cell, width in zip(line, (*widths, 0), strict=True)) for line in cells)
    return "\n".join(line.rstrip() for line in lines)


def warning_line(state: LockState) -> str:
    """`#604 ⚠ locked by PID 12345 (weft run 604)`."""
    return locked_by(state, _sign())


def state_line(state: LockState) -> str:
    """How one lock stands."""
    if state.condition is Condition.FREE:
        return f"{label(state.name)} is free"
    if state.condition is Condition.STALE:
        return f"{label(state.name)} is free: the lock of {who(state)} ({what(state)}) is stale, {state.stale_reason}"
    host = f" on {harmless(state.holder.hostname)}" if state.holder else ""
    since = f" since {moment.written(state.since)}" if state.since is not None else ""
    return f"{warning_line(state)}{host}{since}"


def _document(state: LockState, message: str, *, ok: bool) -> dict[str, Any]:
    holder = {key: value for key, value in row(state).items() if key != "issue"}
    free = state.condition is Condition.FREE
    return {
        "issue": state.name,
        "ok": ok,
        "held": state.held,
        "holder": None if free else holder,
        "message": message,
    }


def _cells(state: LockState) -> tuple[str, ...]:
    holder = state.holder
    condition = f"stale: {state.stale_reason}" if state.stale_reason else state.condition.value
    return (
        state.name,
        str(holder.pid) if holder else "unknown",
        harmless(holder.hostname) if holder else "unknown",
        _age(state.age or 0.0),
        condition,
        what(state),
    )


def _age(seconds: float) -> str:
    """In its two largest units."""
    whole = int(seconds)
    parts: list[str] = []
    for size, unit in _UNITS:
        count, whole = divmod(whole, size)
        parts += [f"{count}{unit}"] if count or parts else []
    return " ".join(parts[:2]) or "0s"


def _sign() -> str:
    try:
        "⚠".encode(sys.stdout.encoding or "ascii")
    except (UnicodeError, LookupError):
        return "!"
    return "⚠"
