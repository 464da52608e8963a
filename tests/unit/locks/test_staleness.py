"""When a holder counts as gone (LOCK-5)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from weft.locks import moment
from weft.locks.holder import Holder
from weft.locks.host import Host, process, this_host
from weft.locks.lock_file import Seen
from weft.locks.staleness import GONE, RESTARTED, REUSED, Rules, judged

NOW = 1_800_000_000.0
HERE = this_host()


@pytest.fixture
def living() -> Iterator[int]:
    """A process that lives until the test ends."""
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield child.pid
    child.communicate(b"\n")


def holder_of(pid: int, **changed: object) -> Holder:
    """What `weft locks acquire` writes for a process of this host."""
    found = process(pid)
    started = found.started if found else 1
    holder = Holder(pid, HERE.name, "weft run 1", None, None, HERE.boot_id, started, HERE.pid_namespace, False)
    return holder._replace(**changed)  # type: ignore[arg-type]


def reason(holder: Holder | None, *, age: float = 0.0, locked: bool = False, host: Host = HERE) -> str | None:
    """Why the lock is stale, or None."""
    seen = Seen("1.lock", 1, 2, NOW - age, NOW, b"", holder, locked)
    return judged("1", seen, Rules(host, NOW)).stale_reason


def ended() -> int:
    child = subprocess.Popen(["/bin/true"])
    child.wait()
    return child.pid


def test_same_host_and_alive_is_a_collision(living: int) -> None:
    """However old: age says nothing where the process can be seen."""
    assert reason(holder_of(living), age=10**6) is None


def test_same_host_and_gone_is_stale_at_once() -> None:
    """Nobody waits for the dead."""
    assert reason(holder_of(ended())) == GONE


def test_a_reused_pid_is_not_the_holder(living: int) -> None:
    """Another process has the number: its start says so."""
    assert reason(holder_of(living, pid_started_at=1)) == REUSED


def test_a_process_that_only_waits_to_be_reaped_is_gone() -> None:
    """A zombie does no work."""
    child = subprocess.Popen(["/bin/true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    try:
        assert reason(holder_of(child.pid)) is not None
    finally:
        child.wait()


def test_the_kernel_lock_says_that_it_lives() -> None:
    """On one host the kernel and not a guess about a pid says whether it lives (LOCK-1)."""
    assert reason(holder_of(ended(), flock=True), locked=True) is None


def test_the_kernel_lock_says_that_it_is_gone(living: int) -> None:
    """A living process of the number and start is no argument where the kernel lock is free."""
    assert reason(holder_of(living, flock=True)) == GONE


def test_the_kernel_lock_counts_whatever_the_host_is_called() -> None:
    """A container of this machine, or a host that was renamed, is under the same kernel."""
    renamed = holder_of(ended(), flock=True, hostname="former-name")
    assert reason(renamed, locked=True) is None
    assert reason(renamed) == GONE


def test_a_restart_makes_it_stale_at_once(living: int) -> None:
    """Nothing of before lives, though the number may."""
    assert reason(holder_of(living, boot_id="another")) == RESTARTED
    assert reason(holder_of(living, boot_id="another", flock=True)) == RESTARTED


def test_another_host_has_two_hours() -> None:
    """Since its last renewal; its pid says nothing here."""
    other = holder_of(os.getpid(), hostname="other", boot_id="another", flock=True)
    assert reason(other, age=7200) is None
    assert reason(other, age=7201) == "not renewed by host other for 2 h"


def test_another_container_of_this_host_has_two_hours(living: int) -> None:
    """Its pids are its own: neither a living nor a dead one of that number says anything."""
    other = holder_of(living, pid_namespace=1)
    assert reason(other, age=7200) is None
    assert reason(other, age=7201) == "not renewed by its container for 2 h"


def test_an_unknown_holder_has_two_hours() -> None:
    """An empty or corrupt file blocks like another host's, and not for ever (LOCK-2)."""
    assert reason(None, age=7200) is None
    assert reason(None, age=7201) == "not readable, and not touched for 2 h"


def test_a_file_from_the_future_blocks_no_longer_than_others() -> None:
    """A host whose clock runs ahead cannot block for ever: when the file was last changed here counts then."""
    seen = Seen("1.lock", 1, 2, NOW + 10**8, NOW - 7201, b"", None)
    assert judged("1", seen, Rules(HERE, NOW)).stale_reason is not None
    assert judged("1", seen._replace(ctime=NOW - 10), Rules(HERE, NOW)).held
    assert judged("1", seen._replace(ctime=NOW + 10), Rules(HERE, NOW)).held


def test_the_time_can_be_set() -> None:
    """`locks.remote_ttl`."""
    seen = Seen("1.lock", 1, 2, NOW - 91, NOW, b"", None)
    state = judged("1", seen, Rules(HERE, NOW, 90.0))
    assert state.stale_reason == "not readable, and not touched for 90 s"


def test_the_other_tool_writes_no_start_of_its_process(living: int) -> None:
    """A process of that number that began before the lock was taken is its holder; one that began after is not."""
    theirs = Holder(living, HERE.name, "npx sequant run 1")
    assert reason(theirs._replace(started_at=moment.written(4_000_000_000))) is None
    assert reason(theirs._replace(started_at="2001-01-01T00:00:00.000Z")) == REUSED
    assert reason(theirs._replace(pid=ended(), started_at="2001-01-01T00:00:00.000Z")) == GONE


def test_where_the_pid_says_nothing_age_alone_counts() -> None:
    """The other tool's `skipPidCheck`: six hours since it was taken (LOCK-14)."""
    theirs = Holder(ended(), HERE.name, "/fullsolve 1", age_alone=True)
    assert reason(theirs._replace(started_at=moment.written(NOW - 21_600)), age=0) is None
    assert reason(theirs._replace(started_at=moment.written(NOW - 21_601)), age=0) is not None


def test_age_is_counted_from_when_it_was_taken() -> None:
    """And from the file where it does not say, or says what cannot be."""
    taken = holder_of(os.getpid(), started_at=moment.written(NOW - 50))
    seen = Seen("1.lock", 1, 2, NOW - 20, NOW, b"", taken)
    assert judged("1", seen, Rules(HERE, NOW)).age == 50
    wrong = taken._replace(started_at=moment.written(NOW + 50))
    assert judged("1", seen._replace(holder=wrong), Rules(HERE, NOW)).age == 20
