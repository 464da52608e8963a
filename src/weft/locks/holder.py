"""Who holds a lock, and how the lock file says it (LOCK-2)."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

_LARGEST_PID = 2**31 - 1


class Claim(NamedTuple):
    """What a lock is taken for."""

    command: str
    """What the user sees when it blocks them, such as `weft run 604`."""
    run: str | None = None


class Holder(NamedTuple):
    """As the lock file has it; None where it does not say."""

    pid: int
    hostname: str
    command: str
    started_at: str | None = None
    run: str | None = None
    boot_id: str | None = None
    pid_started_at: int | None = None
    """When the process began, as its host's kernel counts; never the same for a later process of that number."""
    pid_namespace: int | None = None
    """Within which the pid means something: containers of one host have their own."""
    flock: bool = False
    """Whether it keeps a kernel lock on the file for as long as it lives."""
    age_alone: bool = False
    """The other tool's `skipPidCheck`: its pid says nothing."""


def encoded(name: str, holder: Holder) -> bytes:
    document = {
        "issue": name,
        "pid": holder.pid,
        "hostname": holder.hostname,
        "bootId": holder.boot_id,
        "pidStartedAt": holder.pid_started_at,
        "pidNamespace": holder.pid_namespace,
        "startedAt": holder.started_at,
        "command": holder.command,
        "run": holder.run,
        "flock": holder.flock,
    }
    return json.dumps(document, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def decoded(data: bytes) -> Holder | None:
    """The holder, or None where this is no lock file: empty, cut off, or something else altogether."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    pid, hostname = document.get("pid"), document.get("hostname")
    if not isinstance(pid, int) or not 0 < pid <= _LARGEST_PID or pid is True or not isinstance(hostname, str):
        return None
    return Holder(
        pid,
        hostname,
        _text(document, "command") or "unknown command",
        _text(document, "startedAt"),
        _text(document, "run"),
        _text(document, "bootId"),
        _whole(document, "pidStartedAt"),
        _whole(document, "pidNamespace"),
        document.get("flock") is True,
        document.get("skipPidCheck") is True,
    )


def _text(document: dict[str, Any], key: str) -> str | None:
    value = document.get(key)
    return value if isinstance(value, str) and value else None


def _whole(document: dict[str, Any], key: str) -> int | None:
    """-1, which no process has, for a value that cannot be read: it must not pass for "not said"."""
    value = document.get(key)
    if value is None:
        return None
    return int(value) if _is_whole(value) else -1


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
