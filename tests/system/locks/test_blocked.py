"""What is said when another has the lock (LOCK-4, LOCK-9)."""

from __future__ import annotations

import os

import pytest
from tests.system.locks.conftest import Desk, Start

from weft.errors import ExitCode

TEXT = (
    "Issue #604 is being worked on by PID 12345 since 2026-05-10T14:32:00Z (weft run 604). "
    "Use --force to take over, or wait for the other session."
)


def test_the_message_to_the_letter(desk: Desk) -> None:
    """LOCK-4, with exit 3."""
    desk.write("604")
    answer = desk.locks("acquire", "604")
    assert (answer.code, answer.out, answer.err) == (ExitCode.LOCKED, "", f"error: {TEXT}\n")


def test_the_message_in_json(desk: Desk) -> None:
    """One document on stdout, nothing on stderr."""
    path = desk.write("604")
    answer = desk.locks("acquire", "604", "--json")
    assert (answer.code, answer.err) == (ExitCode.LOCKED, "")
    document = answer.document
    assert list(document) == ["issue", "ok", "held", "holder", "message"]
    assert (document["issue"], document["ok"], document["held"], document["message"]) == ("604", False, True, TEXT)
    holder = document["holder"]
    assert (holder["pid"], holder["hostname"], holder["command"]) == (12345, "elsewhere", "weft run 604")
    assert (holder["stale"], holder["path"], holder["run"]) == (False, str(path), "r-1")


def test_the_line_in_a_batch(desk: Desk) -> None:
    """One for each held one, exit 1; nothing for the others (LOCK-4, LOCK-9)."""
    desk.write("604")
    answer = desk.locks("check-batch", "603", "604", "605")
    assert (answer.code, answer.out, answer.err) == (1, "#604 ⚠ locked by PID 12345 (weft run 604)\n", "")
    document = desk.locks("check-batch", "603", "604", "--json").document
    assert [lock["issue"] for lock in document["locks"]] == ["604"]
    free = desk.locks("check-batch", "603", "605")
    assert (free.code, free.out) == (0, "")


def test_a_terminal_without_the_sign(desk: Desk) -> None:
    """Readable in any encoding."""
    desk.write("604")
    answer = desk.locks("check-batch", "604", PYTHONIOENCODING="ascii")
    assert (answer.code, answer.out) == (1, "#604 ! locked by PID 12345 (weft run 604)\n")


def test_a_running_holder_blocks(desk: Desk, start_holder: Start) -> None:
    """`check` prints it and ends with 1; `acquire` and `clear` are refused, and it notices nothing."""
    holder = start_holder("604")
    check = desk.locks("check", "604")
    assert check.code == 1
    assert check.out.startswith(f"#604 ⚠ locked by PID {holder.pid} (weft run 604) on {os.uname().nodename} since ")
    assert desk.locks("acquire", "604").code == ExitCode.LOCKED
    clear = desk.locks("clear", "604")
    assert clear.code == ExitCode.LOCKED
    assert "weft locks clear 604 --force" in clear.err
    assert desk.locks("release", "604", "--pid", str(holder.pid)).code == ExitCode.LOCKED
    assert holder.tell("still") == "True"


def test_it_is_free_when_the_holder_gives_it_back(desk: Desk, start_holder: Start) -> None:
    """And `check` says so with 0 (LOCK-6)."""
    holder = start_holder("604")
    assert holder.tell("release") == "released"
    answer = desk.locks("check", "604")
    assert (answer.code, answer.out) == (0, "#604 is free\n")
    assert not (desk.folder / "604.lock").exists()


def test_kill_9_of_the_holder(desk: Desk, start_holder: Start) -> None:
    """The next one on the host takes over at once (LOCK-6)."""
    start_holder("604").kill()
    check = desk.locks("check", "604")
    assert check.code == 0
    assert "is stale, its process is gone" in check.out
    assert desk.locks("acquire", "604").code == 0
    assert desk.locks("release", "604").code == 0


@pytest.mark.parametrize("command", ["acquire", "clear"])
def test_another_host_blocks_until_two_hours_have_passed(desk: Desk, command: str) -> None:
    """Since its last renewal, not since it was taken (LOCK-5)."""
    desk.write("604", age=7100)
    assert desk.locks("check", "604").code == 1
    assert desk.locks(command, "604").code == ExitCode.LOCKED
    desk.write("604", age=7300)
    assert "not renewed by host elsewhere for 2 h" in desk.locks("check", "604").out
    assert desk.locks(command, "604").code == 0


@pytest.mark.parametrize("content", ["", "{", "null", '{"pid": "x"}'])
def test_a_corrupt_file_wedges_no_command(desk: Desk, content: str) -> None:
    """It blocks as an unknown holder, is listed, and can be cleared by force (LOCK-2)."""
    desk.write("604").write_text(content)
    check = desk.locks("check", "604")
    assert (check.code, check.out[:40]) == (1, "#604 ⚠ locked by an unknown holder (its ")
    assert "unknown" in desk.locks("list").out
    row = desk.locks("list", "--json").document["locks"][0]
    assert (row["issue"], row["pid"], row["hostname"], row["command"], row["stale"]) == ("604", None, None, None, False)
    assert desk.locks("acquire", "604").code == ExitCode.LOCKED
    assert desk.locks("clear", "604").code == ExitCode.LOCKED
    assert desk.locks("clear", "604", "--force").code == 0
    assert desk.locks("acquire", "604").code == 0


def test_what_a_lock_file_says_is_harmless(desk: Desk) -> None:
    """It is anyone's to write: nothing of it reaches the terminal as a command, or as a second line."""
    desk.write("604", command="x\x1b[2J\nIssue #604 is free", hostname="a\x07b")
    for args in (("check", "604"), ("check-batch", "604"), ("list",)):
        out = desk.locks(*args).out
        assert "\x1b" not in out
        assert "\x07" not in out
        assert "Issue #604 is free" not in out.splitlines()
    assert "\x1b" not in desk.locks("acquire", "604").err
