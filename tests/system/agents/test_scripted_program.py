"""The scripted agent's program, as a process on real files."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from weft.agents.script import validate_script
from weft.agents.scripted import PROGRAM

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Starts the program in `tmp_path` with these steps."""

    numbers = itertools.count(1)

    def start_it(*steps: str, attempt: int = 1, **popen: object) -> subprocess.Popen[bytes]:
        text = "[[session]]\nsteps = [ " + ", ".join(f"{{ {step} }}" for step in steps) + " ]\n"
        assert validate_script(text, "script") == []
        script = tmp_path / f"script{next(numbers)}.toml"
        script.write_text(text)
        argv = [sys.executable, "-I", "-S", str(PROGRAM), str(script), "r-1", "shop#101", "101", "exec", str(attempt)]
        return subprocess.Popen(argv, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, **popen)  # type: ignore[call-overload,no-any-return]

    return start_it


def play(start: Start, *steps: str) -> tuple[int, list[dict[str, object]]]:
    """Exit status and event lines."""
    process = start(*steps)
    printed, _ = process.communicate(timeout=30)
    return process.returncode, [json.loads(line) for line in printed.splitlines() if line.startswith(b"{")]


def test_it_works_on_real_files(start: Start, tmp_path: Path) -> None:
    """Write, append, replace, delete, run, with names filled in."""
    status, said = play(
        start,
        'write = "src/@{id}.txt", text = "one @{job} @{unknown}\\n"',
        'append = "src/@{id}.txt", text = "two\\n"',
        'replace = "src/101.txt", old = "two", new = "three"',
        'write = "bin/go", text = "#!/bin/sh\\necho ran > ran.txt\\n", executable = true',
        'run = "./bin/go"',
        'write = "gone", text = ""',
        'delete = "gone"',
    )
    assert (status, said) == (0, [])
    assert (tmp_path / "src/101.txt").read_text() == "one shop#101 @{unknown}\nthree\n"
    assert (tmp_path / "ran.txt").read_text() == "ran\n"
    assert not (tmp_path / "gone").exists()


def test_it_speaks_wefts_lines(start: Start) -> None:
    """Every kind of line, as an agent with `output = "jsonl"` prints it (AGENT-3)."""
    status, said = play(
        start,
        'say = "hi"',
        "usage = { input_tokens = 5, cost_usd = 0.5 }",
        'touches = ["a.py"]',
        'verdict = false, findings = ["x"]',
        'rate_limit = "rejected", resets_at = 1799999999',
        'result = "done"',
    )
    assert status == 0
    assert said == [
        {"type": "message", "text": "hi"},
        {"type": "usage", "input_tokens": 5, "cost_usd": 0.5},
        {"type": "touches", "paths": ["a.py"]},
        {"type": "verdict", "approved": False, "findings": ["x"]},
        {"type": "rate_limit", "status": "rejected", "scope": "account", "resets_at": 1799999999},
        {"type": "result", "ok": True, "text": "done"},
    ]


@pytest.mark.parametrize(
    ("step", "status", "message"),
    [
        ('fail = "no"', 1, "no"),
        ('fail = "later", class = "transient"', 75, "later"),
        ('fail = "x", exit_status = 0', 0, "x"),
        ('run = "exit 3"', 1, "`exit 3` ended with exit status 3"),
        ('replace = "script1.toml", old = "\\u0007", new = ""', 1, "script1.toml does not hold '\\x07'"),
        ('expect = "none.txt"', 1, "expected none.txt to exist"),
        ('expect = "script1.toml", missing = true', 1, "expected no script1.toml"),
        ('expect = "script1.toml", contains = "\\u0000"', 1, "expected script1.toml to hold '\\x00'"),
        ('wait_for = "none.txt", timeout = 0', 1, "waited for none.txt, which did not come"),
    ],
)
def test_failures_say_why_and_stop(start: Start, tmp_path: Path, step: str, status: int, message: str) -> None:
    """What follows a failing step is not done (AGENT-4)."""
    found, said = play(start, step, 'write = "after.txt", text = ""')
    assert found == status
    assert said[-1]["text"] == message
    assert said[-1]["ok"] is False
    assert not (tmp_path / "after.txt").exists()


def test_steps_can_depend_on_files(start: Start, tmp_path: Path) -> None:
    """`only_if` and `unless`."""
    (tmp_path / "here").touch()
    _, said = play(
        start,
        *(f'say = "{way} {name}", {way} = "{name}"' for way in ("only_if", "unless") for name in ("here", "none")),
    )
    assert [one["text"] for one in said] == ["only_if here", "unless none"]


def test_it_commits(start: Start, tmp_path: Path) -> None:
    """By itself, without a name in anyone's git config."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "-q", "-b", "main", str(tmp_path)], check=True, env=environment)
    process = start('write = "a.txt", text = "x"', 'commit = "Add a"', env=environment)
    process.communicate(timeout=30)
    log = subprocess.run(
        ["git", "log", "--format=%s", "--name-only"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    )
    assert process.returncode == 0
    assert log.stdout.split() == ["Add", "a", "a.txt", "script1.toml"]


def test_no_script_and_no_session_are_failures_that_say_so(start: Start, tmp_path: Path) -> None:
    """Nothing is played by guesswork, and nothing is claimed."""
    argv = [sys.executable, "-I", "-S", str(PROGRAM)]
    about = ["r-1", "shop#101", "101", "exec", "1"]
    bare = subprocess.run([*argv, "", *about], capture_output=True)
    assert bare.returncode == 1
    assert "has no script" in json.loads(bare.stdout)["text"]
    script = tmp_path / "s.toml"
    script.write_text('[[session]]\njob = "102"\nsteps = []\n')
    other = subprocess.run([*argv, str(script), *about], capture_output=True)
    assert other.returncode == 1
    assert json.loads(other.stdout)["text"] == f"{script} has no `[[session]]` for shop#101, phase exec, attempt 1"
    script.write_text("not toml")
    broken = subprocess.run([*argv, str(script), *about], capture_output=True)
    assert (broken.returncode, json.loads(broken.stdout)["ok"], broken.stderr) == (1, False, b"")


def test_a_flood_is_all_there(start: Start) -> None:
    """So many lines, so wide."""
    process = start("flood = 5000, width = 100")
    printed, _ = process.communicate(timeout=30)
    assert len(printed.splitlines()) == 5000
    assert all(len(line) > 100 for line in printed.splitlines())


def test_hanging_ends_by_sigterm_and_stubbornly_only_by_sigkill(start: Start, tmp_path: Path) -> None:
    """For tests of stopping agents (RUN-14)."""
    meek = start('say = "ready"', "hang = true")
    stubborn = start('say = "ready"', "hang = true, stubborn = true")
    try:
        for process in (meek, stubborn):
            assert process.stdout is not None
            assert b"ready" in process.stdout.readline()
        _wait_for_ignored_sigterm(stubborn.pid)
        for process in (meek, stubborn):
            process.send_signal(signal.SIGTERM)
        assert meek.wait(timeout=30) == -signal.SIGTERM
        assert stubborn.poll() is None
        stubborn.kill()
        assert stubborn.wait(timeout=30) == -signal.SIGKILL
    finally:
        for process in (meek, stubborn):
            process.kill()
            process.communicate()


def _wait_for_ignored_sigterm(pid: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        ignored = next(
            line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("SigIgn")
        )
        if int(ignored.split()[1], 16) & (1 << (signal.SIGTERM - 1)):
            return
        time.sleep(0.01)
    raise AssertionError("SIGTERM is not ignored")


def test_a_spawned_daemon_outlives_the_agent(start: Start, tmp_path: Path) -> None:
    """It has a session of its own, as agents' tools have; for tests of process trees (AGENT-6)."""
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    process = start('spawn = "echo $$ > alive; exec sleep 1000"', 'result = "left a daemon"')
    daemon = int(fifo.read_text())
    try:
        process.communicate(timeout=30)
        assert os.getsid(daemon) == daemon
    finally:
        os.kill(daemon, signal.SIGKILL)
    assert process.returncode == 0


def test_waiting_for_a_file_lets_tests_set_the_pace(start: Start, tmp_path: Path) -> None:
    """Two processes meet without sleeping."""
    process = start('write = "first", text = ""', 'wait_for = "second"', 'say = "met"')
    deadline = time.monotonic() + 30
    while not (tmp_path / "first").exists() and time.monotonic() < deadline:
        time.sleep(0.005)
    assert process.poll() is None
    (tmp_path / "second").touch()
    printed, _ = process.communicate(timeout=30)
    assert json.loads(printed)["text"] == "met"
