"""The `locks` commands, one by one (LOCK-9)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.system.locks.conftest import Desk, Start

from weft.errors import ExitCode

BAD = ["1.5", "12abc", "1e3", "../x", "-1", "", "0", "a/b", "1 2"]


@pytest.mark.parametrize("name", BAD)
def test_a_name_that_is_none_is_a_mistake(desk: Desk, name: str) -> None:
    """Exit 2 for every command, and nothing is made."""
    for command in ("check", "check-batch", "acquire", "release", "clear"):
        answer = desk.locks(command, name)
        assert (answer.code, answer.out) == (ExitCode.USAGE, "")
    assert not desk.folder.exists()


def test_to_take_and_to_give_back(desk: Desk) -> None:
    """For the calling process; a second time is refused, also to the same one."""
    taken = desk.locks("acquire", "604")
    assert (taken.code, taken.out) == (0, f"Locked #604 for PID {os.getpid()}\n")
    document = json.loads((desk.folder / "604.lock").read_text())
    assert (document["pid"], document["flock"], document["issue"]) == (os.getpid(), False, "604")
    assert desk.locks("acquire", "604").code == ExitCode.LOCKED
    released = desk.locks("release", "604")
    assert (released.code, released.out) == (0, "Released #604\n")
    again = desk.locks("release", "604")
    assert (again.code, again.out) == (0, "#604 is not locked\n")


def test_the_answers_in_json(desk: Desk) -> None:
    """The same five keys each time."""
    for args, ok, held in (
        (("acquire", "604"), True, True),
        (("acquire", "604"), False, True),
        (("check", "604"), False, True),
        (("clear", "604"), False, True),
        (("release", "604", "--pid", "1"), False, True),
        (("release", "604"), True, False),
        (("release", "604"), True, False),
        (("check", "604"), True, False),
        (("clear", "604"), True, False),
    ):
        document = desk.locks(*args, "--json").document
        assert list(document) == ["issue", "ok", "held", "holder", "message"], args
        assert (document["issue"], document["ok"], document["held"]) == ("604", ok, held), args
        assert (document["holder"] is not None) is held, args
        assert document["message"], args


def test_for_a_process_that_is_named(desk: Desk) -> None:
    """`--pid`: it is held for as long as that one lives."""
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert desk.locks("acquire", "604", "--pid", str(other.pid)).code == 0
    assert desk.locks("release", "604").code == ExitCode.LOCKED
    assert desk.locks("check", "604").code == 1
    other.communicate(b"\n")
    assert desk.locks("check", "604").code == 0
    assert desk.locks("acquire", "604").code == 0


@pytest.mark.parametrize("pid", ["0", "-5", "x", "2147483647"])
def test_a_process_that_is_none(desk: Desk, pid: str) -> None:
    """A lock for nobody would be stale at once: exit 2."""
    assert desk.locks("acquire", "604", f"--pid={pid}").code == ExitCode.USAGE
    assert not (desk.folder / "604.lock").exists()


def test_only_ones_own_is_given_back(desk: Desk) -> None:
    """Another's is refused (LOCK-6)."""
    desk.write("604")
    answer = desk.locks("release", "604")
    assert answer.code == ExitCode.LOCKED
    assert f"is locked by PID 12345 (weft run 604), not by PID {os.getpid()}" in answer.err
    assert desk.locks("release", "604", "--pid", "12345").code == ExitCode.LOCKED, "that PID is another host's"


def test_a_stale_one_is_cleared(desk: Desk, start_holder: Start) -> None:
    """And nothing else without --force."""
    start_holder("604").kill()
    assert desk.locks("clear", "604").out == "Cleared #604\n"
    assert desk.locks("clear", "604").out == "#604 is not locked\n"
    desk.write("604")
    assert desk.locks("clear", "604").code == ExitCode.LOCKED
    assert desk.locks("clear", "604", "--force").code == 0
    assert desk.locks("list", "--json").document == {"locks": []}


def test_the_list(desk: Desk, start_holder: Start) -> None:
    """Who, where, for how long, and whether it is stale."""
    holder = start_holder("7")
    desk.write("604", age=9000)
    desk.write("p-3f9a")
    rows = {row["issue"]: row for row in desk.locks("list", "--json").document["locks"]}
    assert list(rows) == ["7", "604", "p-3f9a"]
    wanted = {"issue", "pid", "hostname", "age_seconds", "command", "stale", "stale_reason", "path"}
    assert all(wanted <= row.keys() for row in rows.values())
    assert (rows["7"]["pid"], rows["7"]["stale"], rows["7"]["stale_reason"]) == (holder.pid, False, None)
    assert (rows["604"]["stale"], rows["604"]["path"]) == (True, str(desk.folder / "604.lock"))
    assert rows["604"]["stale_reason"] == "not renewed by host elsewhere for 2 h"
    text = desk.locks("list").out.splitlines()
    assert text[0].split() == ["ISSUE", "PID", "HOST", "AGE", "STATE", "COMMAND"]
    assert [line.split()[0] for line in text[1:]] == ["7", "604", "p-3f9a"]


def test_an_empty_list(desk: Desk) -> None:
    """Nothing on stdout, and no folder is made by looking."""
    answer = desk.locks("list")
    assert (answer.code, answer.out, answer.err) == (0, "", "No locks\n")
    assert desk.locks("list", "--json").document == {"locks": []}
    assert not desk.folder.exists()


def test_names_that_are_no_numbers(desk: Desk) -> None:
    """Jobs that are not issues have locks too."""
    assert desk.locks("acquire", "p-3f9a").out == f"Locked p-3f9a for PID {os.getpid()}\n"
    assert "Job p-3f9a is being worked on by PID" in desk.locks("acquire", "p-3f9a").err


def test_what_it_is_held_for_can_be_said(desk: Desk) -> None:
    """`--command`, for scripts."""
    assert desk.locks("acquire", "604", "--command", "nightly build").code == 0
    assert "(nightly build)" in desk.locks("check", "604").out


def test_force_takes_over_and_the_former_holder_finds_out(desk: Desk, start_holder: Start) -> None:
    """Without a signal: it lives on, and its lock is no longer its own (LOCK-7)."""
    holder = start_holder("604")
    answer = desk.locks("acquire", "604", "--force")
    assert (answer.code, answer.err) == (0, "")
    assert holder.tell("still") == "False"
    assert holder.tell("release") == "released"
    assert desk.locks("check", "604").code == 1, "the new holder's lock is still there"


def test_from_a_worktree_it_is_the_main_checkouts(desk: Desk, tmp_path: Path) -> None:
    """One lock for the repo (LOCK-1)."""
    desk.repo.git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "x")
    assert desk.locks("acquire", "604", cwd=tmp_path / "tree").code == 0
    assert (desk.folder / "604.lock").exists()
    assert desk.locks("check", "604").code == 1


def test_git_does_not_see_it(desk: Desk) -> None:
    """By the repo's own list, not by the user's `.gitignore`."""
    assert desk.locks("acquire", "604").code == 0
    assert desk.repo.git("status", "--porcelain") == ""
    assert not (desk.repo.path / ".gitignore").exists()


def test_outside_of_a_repo(desk: Desk, tmp_path: Path) -> None:
    """There is no place for a lock: exit 2, unless one is named."""
    outside = tmp_path / "outside"
    outside.mkdir()
    answer = desk.locks("check", "604", cwd=outside)
    assert answer.code == ExitCode.USAGE
    assert "is not in a git repo" in answer.err
    assert desk.locks("acquire", "604", cwd=outside, WEFT_LOCKS_DIR=str(tmp_path / "mine")).code == 0
    assert (tmp_path / "mine" / "604.lock").exists()


def test_the_folder_can_be_moved(desk: Desk, tmp_path: Path) -> None:
    """`WEFT_LOCKS_DIR` (LOCK-1)."""
    moved = str(tmp_path / "moved" / "locks")
    assert desk.locks("acquire", "604", WEFT_LOCKS_DIR=moved).code == 0
    assert Path(moved, "604.lock").exists()
    assert not desk.folder.exists()
    assert desk.locks("check", "604").code == 0
    assert desk.locks("check", "604", WEFT_LOCKS_DIR=moved).code == 1


@pytest.mark.parametrize(
    "args",
    [
        ("acquire", "604"),
        ("acquire", "604", "--force", "--signal-other"),
        ("check", "604"),
        ("check-batch", "604"),
        ("release", "604"),
        ("clear", "604"),
        ("list",),
    ],
)
def test_who_coordinates_by_themselves(desk: Desk, args: tuple[str, ...]) -> None:
    """`WEFT_ORCHESTRATOR=1`: all succeed, no file is made or touched (LOCK-10)."""
    assert desk.locks(*args, WEFT_ORCHESTRATOR="1").code == 0
    assert not desk.folder.exists()
    lock = desk.write("604")
    assert desk.locks(*args, WEFT_ORCHESTRATOR="1").code == 0
    assert [path.name for path in desk.folder.iterdir()] == [lock.name]


def test_a_folder_that_cannot_be_written(desk: Desk) -> None:
    """A clear error, not a defect and not success (LOCK-11)."""
    desk.folder.parent.mkdir()
    desk.folder.write_text("a file")
    answer = desk.locks("acquire", "604")
    assert answer.code == ExitCode.FAILED
    assert f"error: the lock folder `{desk.folder}` cannot be used" in answer.err
    assert "WEFT_LOCKS_DIR" in answer.err
    assert desk.locks("check", "604").code == 0


def test_every_command_has_its_help(desk: Desk) -> None:
    """Also through the short way for looks."""
    for command in ("list", "acquire", "release", "check", "check-batch", "clear"):
        answer = desk.locks(command, "--help")
        assert answer.code == 0
        assert f"Usage: weft locks {command}" in answer.out


@pytest.mark.parametrize("args", [("check",), ("check", "1", "2"), ("check-batch",), ("list", "1"), ("nonsense",)])
def test_wrong_arguments(desk: Desk, args: tuple[str, ...]) -> None:
    """Exit 2, also where the short way would have been taken."""
    answer = desk.locks(*args)
    assert (answer.code, answer.out) == (ExitCode.USAGE, "")
    assert answer.err.startswith("error: ")


SHOWING = """
import atexit, sys
slow = {"click", "asyncio", "sqlite3", "msgspec", "tomllib"}
atexit.register(lambda: print(sorted(slow & set(sys.modules))))
sys.argv = ["weft", "locks", "check", "1"]
from weft.__main__ import main
main()
"""


def test_looking_needs_neither_click_nor_asyncio_nor_sqlite(desk: Desk) -> None:
    """`locks check` starts fast: it imports only what it needs (PERF-2)."""
    argv = [sys.executable, "-c", SHOWING]
    done = subprocess.run(argv, cwd=desk.repo.path, env=desk.variables, capture_output=True, text=True, check=True)
    assert done.stdout == "#1 is free\n[]\n"
