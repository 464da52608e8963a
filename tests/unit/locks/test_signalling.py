"""SIGTERM to the holder, and to nobody else (LOCK-8)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from weft.locks.holder import Holder
from weft.locks.host import process, this_host
from weft.locks.signalling import SignalOutcome, signal_holder
from weft.locks.state import Condition, LockState

HERE = this_host()


@pytest.fixture
def other() -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield child
    child.communicate(b"\n")


def state(pid: int, **changed: object) -> LockState:
    found = process(pid)
    started = found.started if found else 1
    holder = Holder(pid, HERE.name, "weft run 604", None, None, HERE.boot_id, started, HERE.pid_namespace)
    return LockState("604", Condition.HELD, "604.lock", holder._replace(**changed))  # type: ignore[arg-type]


def test_the_holder_is_signalled(other: subprocess.Popen[bytes]) -> None:
    """With SIGTERM, so that it can save its work."""
    assert signal_holder(state(other.pid)) is SignalOutcome.SIGNALED
    assert other.wait() == -signal.SIGTERM


@pytest.mark.parametrize(
    ("changed", "outcome"),
    [
        ({"pid_started_at": 1}, SignalOutcome.EXITED),
        ({"boot_id": "another"}, SignalOutcome.EXITED),
        ({"pid_started_at": None, "started_at": "2001-01-01T00:00:00Z"}, SignalOutcome.EXITED),
        ({"hostname": "other", "boot_id": "another"}, SignalOutcome.CROSS_HOST),
        ({"pid_namespace": 1}, SignalOutcome.CROSS_HOST),
    ],
)
def test_a_process_that_only_has_the_number_is_not(
    other: subprocess.Popen[bytes], changed: dict[str, object], outcome: SignalOutcome
) -> None:
    """A reused pid, a restart, another host, another container: nobody innocent is killed."""
    assert signal_holder(state(other.pid, **changed)) is outcome
    assert other.poll() is None


def test_the_host_may_have_been_renamed(other: subprocess.Popen[bytes]) -> None:
    """One kernel is one host."""
    assert signal_holder(state(other.pid, hostname="former")) is SignalOutcome.SIGNALED
    other.wait()


@pytest.mark.parametrize("own", [os.getpid, os.getppid])
def test_neither_this_process_nor_its_parent(own: object) -> None:
    """Not even if the file says so."""
    assert callable(own)
    assert signal_holder(state(own())) is SignalOutcome.REFUSED


def test_one_that_has_ended() -> None:
    """There is nobody to signal."""
    child = subprocess.Popen(["/bin/true"])
    child.wait()
    assert signal_holder(state(child.pid)) is SignalOutcome.EXITED


def test_one_that_may_not_be_signalled(other: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """Another user's."""

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(signal, "pidfd_send_signal", refuse)
    assert signal_holder(state(other.pid)) is SignalOutcome.FAILED


def test_the_five_texts() -> None:
    """To the letter: scripts look for them."""
    assert [outcome.text(state(12345)) for outcome in SignalOutcome] == [
        "Signaled PID 12345 (SIGTERM) for #604",
        "Could not signal PID 12345 for #604 (cross-host holder)",
        "Refused to signal PID 12345 for #604 (matches this process or its parent)",
        "Could not signal PID 12345 for #604 (already exited)",
        "Could not signal PID 12345 for #604 (kill syscall failed)",
    ]
