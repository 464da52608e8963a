"""Whether the holder of a lock lives (LOCK-5): the kernel is asked first, then identity, age comes last."""

from __future__ import annotations

from typing import NamedTuple

from weft.locks import moment
from weft.locks.holder import Holder
from weft.locks.host import Host, began, process
from weft.locks.lock_file import Seen
from weft.locks.state import Condition, LockState

REMOTE_TTL = 7200.0
AGE_ALONE_TTL = 21_600.0
"""Of the other tool's locks whose pid says nothing."""
_CLOCK_STEP = 60.0
"""Seconds by which a clock that is put right may make a process seem younger than the lock it wrote."""

GONE = "its process is gone"
REUSED = "its process is gone and another has its number"
RESTARTED = "its host was restarted"


class Rules(NamedTuple):
    host: Host
    now: float
    remote_ttl: float = REMOTE_TTL


def judged(name: str, seen: Seen, rules: Rules) -> LockState:
    """How the lock that was seen stands."""
    holder = seen.holder
    since = _taken(seen, rules.now)
    reason = _why_stale(seen, holder, rules) if holder else _too_old("not readable, and not touched", seen, rules)
    condition = Condition.STALE if reason else Condition.HELD
    return LockState(name, condition, seen.path, holder, since, max(0.0, rules.now - since), reason)


def same_host(holder: Holder, host: Host) -> bool:
    """One kernel, whatever the host is called by now; or one name, where a restart made another kernel of it."""
    return holder.hostname == host.name or (holder.boot_id is not None and holder.boot_id == host.boot_id)


def is_process_of(holder: Holder, pid: int) -> bool:
    """Whether the living process of that number is the very one the lock was taken for."""
    living = process(pid)
    if living is None or pid != holder.pid:
        return False
    if holder.pid_started_at is None:
        return not _began_later(holder)
    return living.started is None or living.started == holder.pid_started_at


def _why_stale(seen: Seen, holder: Holder, rules: Rules) -> str | None:
    """None while it is held."""
    if seen.kernel_locked:
        return None
    if holder.age_alone:
        return _too_old("held without a sign of life", seen, rules._replace(remote_ttl=AGE_ALONE_TTL))
    if not same_host(holder, rules.host):
        return _too_old(f"not renewed by host {holder.hostname}", seen, rules)
    if _differ(holder.boot_id, rules.host.boot_id):
        return RESTARTED
    if holder.flock:
        return GONE
    if _differ(holder.pid_namespace, rules.host.pid_namespace):
        return _too_old("not renewed by its container", seen, rules)
    return _why_gone(holder)


def _why_gone(holder: Holder) -> str | None:
    if is_process_of(holder, holder.pid):
        return None
    return REUSED if process(holder.pid) else GONE


def _began_later(holder: Holder) -> bool:
    """The other tool writes no start of its process; but one that began after its own lock did not write it."""
    taken, start = moment.read(holder.started_at), began(holder.pid)
    return taken is not None and start is not None and start > taken + _CLOCK_STEP


def _differ(one: str | int | None, other: str | int | None) -> bool:
    return one is not None and other is not None and one != other


def _too_old(what: str, seen: Seen, rules: Rules) -> str | None:
    if rules.now - _renewed(seen, rules.now) <= rules.remote_ttl:
        return None
    return f"{what} for {_hours(rules.remote_ttl)}"


def _renewed(seen: Seen, now: float) -> float:
    """The last renewal. A time of change that is yet to come is a wrong clock's: the file system's own then counts."""
    if seen.holder and seen.holder.age_alone:
        return _taken(seen, now)
    return seen.mtime if seen.mtime <= now else min(seen.ctime, now)


def _taken(seen: Seen, now: float) -> float:
    said = moment.read(seen.holder.started_at) if seen.holder else None
    return said if said is not None and said <= now else min(seen.mtime, now)


def _hours(seconds: float) -> str:
    whole, rest = divmod(seconds, 3600)
    return f"{whole:.0f} h" if not rest else f"{seconds:g} s"
