"""`--force --signal-other` and its five outcomes (LOCK-8)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.system.locks.conftest import Desk, Start

from weft.errors import ExitCode

TAKE = ("acquire", "604", "--force", "--signal-other")


def test_it_needs_force(desk: Desk, start_holder: Start) -> None:
    """Alone it is a mistake: exit 2, and nobody is signalled."""
    holder = start_holder("604")
    answer = desk.locks("acquire", "604", "--signal-other")
    assert (answer.code, answer.out) == (ExitCode.USAGE, "")
    assert holder.tell("still") == "True"


def test_signaled(desk: Desk, start_holder: Start) -> None:
    """The holder gets SIGTERM, and the lock is taken over."""
    holder = start_holder("604")
    answer = desk.locks(*TAKE)
    assert (answer.code, answer.err) == (0, f"Signaled PID {holder.pid} (SIGTERM) for #604\n")
    assert holder.wait() == -signal.SIGTERM
    assert f"PID {os.getpid()} " in desk.locks("check", "604").out


def test_a_holder_on_another_host(desk: Desk) -> None:
    """Its pid is nobody here."""
    desk.write("604")
    answer = desk.locks(*TAKE)
    assert (answer.code, answer.err) == (0, "Could not signal PID 12345 for #604 (cross-host holder)\n")


def test_this_process_or_its_parent(desk: Desk) -> None:
    """A script that takes its own lock again must not kill itself."""
    assert desk.locks("acquire", "604").code == 0
    answer = desk.locks(*TAKE)
    text = f"Refused to signal PID {os.getpid()} for #604 (matches this process or its parent)\n"
    assert (answer.code, answer.err) == (0, text)


def test_one_that_has_ended(desk: Desk, start_holder: Start) -> None:
    """Nobody to signal."""
    holder = start_holder("604")
    holder.kill()
    answer = desk.locks(*TAKE)
    assert (answer.code, answer.err) == (0, f"Could not signal PID {holder.pid} for #604 (already exited)\n")


def test_a_reused_pid_is_left_alone(desk: Desk) -> None:
    """The process that has the number now is innocent: it lives on."""
    innocent = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    desk.write("604", pid=innocent.pid, hostname=os.uname().nodename, bootId=boot, flock=False)
    answer = desk.locks(*TAKE)
    assert (answer.code, answer.err) == (0, f"Could not signal PID {innocent.pid} for #604 (already exited)\n")
    assert innocent.poll() is None
    innocent.communicate(b"\n")
    assert innocent.returncode == 0


REFUSING = """
import errno, signal, sys
def refuse(*_): raise PermissionError(errno.EPERM, "Operation not permitted")
signal.pidfd_send_signal = refuse
sys.argv = ["weft", "locks", "acquire", "604", "--force", "--signal-other"]
from weft.__main__ import main
main()
"""


def test_one_that_may_not_be_signalled(desk: Desk, start_holder: Start) -> None:
    """The kernel refuses, as for another user's process; the lock is taken over all the same."""
    holder = start_holder("604")
    argv = [sys.executable, "-c", REFUSING]
    done = subprocess.run(argv, cwd=desk.repo.path, env=desk.variables, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, f"Could not signal PID {holder.pid} for #604 (kill syscall failed)\n")
    assert holder.tell("still") == "False"


def test_nobody_has_it(desk: Desk) -> None:
    """Then there is nobody to signal and nothing to say."""
    answer = desk.locks(*TAKE)
    assert (answer.code, answer.err) == (0, "")


def test_in_json(desk: Desk) -> None:
    """The line is for people: stderr; the document is data."""
    desk.write("604")
    answer = desk.locks(*TAKE, "--json")
    assert answer.err == "Could not signal PID 12345 for #604 (cross-host holder)\n"
    assert answer.document["ok"] is True


@pytest.mark.parametrize("pid", [1, 0, -1])
def test_a_malformed_file_signals_nobody(desk: Desk, pid: int) -> None:
    """`kill` of 0 or -1 would reach whole groups; a number without an identity reaches nobody."""
    desk.write("604", pid=pid, hostname=os.uname().nodename, bootId=None, pidStartedAt="nonsense", flock=False)
    answer = desk.locks(*TAKE)
    assert answer.code == 0
    assert "Signaled" not in answer.err
