"""What the settings say about locks, as the `locks` commands honour it."""

from __future__ import annotations

import json
import os

from tests.system.locks.conftest import Desk

from weft.errors import ExitCode
from weft.locks import moment


def test_remote_ttl(desk: Desk) -> None:
    """How long another host's lock counts (LOCK-5)."""
    desk.write("604", age=1900)
    assert desk.locks("check", "604").code == 1
    desk.repo.write("weft.toml", '[locks]\nremote_ttl = "30m"\n')
    assert desk.locks("check", "604").code == 0
    assert desk.locks("check", "604", WEFT_LOCKS_REMOTE_TTL="2h").code == 1


def test_also(desk: Desk) -> None:
    """Another tool's locks are honoured, and one is written there in its format (LOCK-14)."""
    desk.repo.write("weft.toml", '[locks]\nalso = [".sequant/locks"]\n')
    theirs = {
        "pid": 28568,
        "hostname": os.uname().nodename,
        "startedAt": moment.written_with_millis(1_000_000_000.256),
        "command": "npx sequant run 101 102",
    }
    file = desk.repo.write(".sequant/locks/101.lock", json.dumps(theirs | {"pid": os.getpid(), "startedAt": "9"}))
    answer = desk.locks("acquire", "101")
    assert answer.code == ExitCode.LOCKED
    assert f"being worked on by PID {os.getpid()} since" in answer.err
    assert "(npx sequant run 101 102)" in answer.err
    assert not (desk.folder / "101.lock").exists()
    assert desk.locks("check", "101").code == 1
    assert [row["path"] for row in desk.locks("list", "--json").document["locks"]] == [str(file)]
    file.write_text(json.dumps(theirs | {"skipPidCheck": True}))
    assert desk.locks("acquire", "101").code == 0, "six hours are long past"
    assert json.loads(file.read_text())["pid"] == os.getpid()
    assert desk.repo.git("status", "--porcelain") == "?? weft.toml"
    assert desk.locks("release", "101").code == 0
    assert not file.exists()


def test_also_from_a_worktree(desk: Desk) -> None:
    """The other tool's folder is the main checkout's too."""
    desk.repo.write("weft.toml", '[locks]\nalso = [".sequant/locks"]\n')
    desk.repo.commit("settings")
    tree = desk.repo.path.parent / "tree"
    desk.repo.git("worktree", "add", "-q", str(tree), "-b", "x")
    assert desk.locks("acquire", "101", cwd=tree).code == 0
    assert (desk.repo.path / ".sequant" / "locks" / "101.lock").exists()
    assert not (tree / ".sequant").exists()


def test_broken_settings_say_so_only_where_they_matter(desk: Desk) -> None:
    """A lock can be seen and cleared though something else in the file is wrong; a wrong `[locks]` is exit 2."""
    desk.repo.write("weft.toml", "nonsense = 1\n")
    assert desk.locks("check", "604").code == 0
    desk.repo.write("weft.toml", '[locks]\nremote_ttl = "soon"\n')
    answer = desk.locks("check", "604")
    assert answer.code == ExitCode.USAGE
    assert "remote_ttl" in answer.err
