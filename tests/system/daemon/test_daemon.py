"""The daemon as a process: started, asked, told to stop (PROJ-8)."""

from __future__ import annotations

import json
import os
import signal
from typing import Any

import pytest
from tests.support.estate import Estate, statuses
from tests.support.waiting import until

AT_ONCE = '[schedule]\nevery = "1h"\nwindow = ""\n'
LATER = '[schedule]\ncron = "0 0 1 1 *"\nwindow = ""\n'


def status(estate: Estate) -> dict[str, Any]:
    return estate.weft("daemon", "status", "--json").document


def log(estate: Estate) -> str:
    file = estate.state / "daemon.log"
    return file.read_text() if file.exists() else ""


def has_run(estate: Estate) -> None:
    """Until the daemon has had its run and waits for the next."""
    until(lambda: "=== Run Complete ===" in log(estate) and log(estate).count("next run at") >= 2, lambda: log(estate))


def test_detached_it_runs_on_schedule(estate: Estate) -> None:
    """PROJ-8: started detached it does the run that is due, writes its report, and waits for the next; `status` and
    `logs` tell; `stop` ends it.
    """
    estate.project("a")
    estate.settings(AT_ONCE)
    started = estate.weft("daemon", "start", "--json")
    assert started.code == 0, started.err
    has_run(estate)
    standing = status(estate)
    assert standing["running"]
    assert standing["pid"] == started.document["pid"]
    assert standing["next_run_at"] > standing["last_run"]["started_at"]
    assert standing["last_run"]["outcome"].endswith("passed: 1 passed")
    assert {name.rpartition(".")[2] for name in estate.reports()} == {"md", "json", "html"}
    assert "=== Run Complete ===" in estate.weft("daemon", "logs").out
    stopped = estate.weft("daemon", "stop")
    assert (stopped.code, stopped.out) == (0, f"daemon stopped (PID {standing['pid']})\n")
    assert not status(estate)["running"]
    assert estate.weft("daemon", "stop").out == "no daemon is running\n"
    assert estate.sessions() == ["a#tidy"]


@pytest.mark.parametrize("flags", [(), ("--foreground",)], ids=["detached", "foreground"])
def test_a_second_one_is_refused(estate: Estate, flags: tuple[str, ...]) -> None:
    """PROJ-8: one per user: a second start says so, exit 3, also where the first was started elsewhere."""
    estate.project("a")
    estate.settings(LATER)
    pid = estate.weft("daemon", "start", "--json").document["pid"]
    second = estate.weft("daemon", "start", *flags)
    assert second.code == 3
    assert second.err.startswith(f"error: a daemon is running already (PID {pid})\n")
    os.kill(pid, 0)


def test_many_started_at_once(estate: Estate) -> None:
    """PROJ-8: of several starts at the same moment exactly one has a daemon."""
    estate.project("a")
    estate.settings(LATER)
    answers = [started.wait() for started in [estate.start("daemon", "start") for _ in range(4)]]
    assert sorted(answer.code for answer in answers) == [0, 3, 3, 3]


def test_in_the_foreground(estate: Estate) -> None:
    """PROJ-8: in the foreground it tells on stderr what it does; SIGTERM is a good end."""
    estate.project("a")
    estate.settings(AT_ONCE)
    started = estate.start("daemon", "start", "--foreground")
    started.until(lambda: started.err.count("next run at") >= 2)
    started.send(signal.SIGTERM)
    answer = started.wait()
    assert answer.code == 0
    assert answer.err.splitlines()[-1].endswith("daemon stopped")
    assert "Task a#tidy completed" in answer.err


def test_without_a_schedule_it_does_not_start(estate: Estate) -> None:
    """PROJ-8: it is said at once, and not only in a log."""
    estate.project("a")
    answer = estate.weft("daemon", "start")
    assert answer.code == 2
    assert answer.err.startswith("error: no schedule is set\nhint: ")


def test_stop_lets_what_is_nearly_done_finish(estate: Estate) -> None:
    """PROJ-8: stop drains: what ends within the grace period ends well, and nothing new starts."""
    estate.project("a", ("tidy", "polish"))
    estate.settings(AT_ONCE, grace="60s")
    estate.does("exec-a-tidy", "hold tidy; echo x > tidy.txt")
    estate.weft("daemon", "start")
    until(estate.reached("tidy"))
    stopping = estate.start("daemon", "stop")
    until(lambda: "told to stop (SIGTERM)" in log(estate))
    estate.go("tidy")
    assert stopping.wait().code == 0
    (document,) = [json.loads(text) for name, text in estate.reports().items() if name.endswith(".json")]
    assert {job["key"]: job["status"] for job in document["jobs"]} == {"a#tidy": "passed", "a#polish": "not_run"}
    assert "run cancelled: told to stop (SIGTERM)" in log(estate)


def test_stop_ends_what_does_not_finish(estate: Estate) -> None:
    """PROJ-8: what is not done within the grace period is stopped, its work saved, and the report says so."""
    estate.project("a")
    estate.settings(AT_ONCE, grace="0.5s")
    estate.does("exec", "trap '' TERM; hold never")
    estate.weft("daemon", "start")
    until(estate.reached("never"))
    assert estate.weft("daemon", "stop").code == 0
    (document,) = [json.loads(text) for name, text in estate.reports().items() if name.endswith(".json")]
    assert statuses(document) == {"a": "cancelled"}


def test_a_bad_edit_keeps_the_old_settings(estate: Estate) -> None:
    """PROJ-8: settings are read again between runs; a bad edit keeps those before and says so; mending it counts."""
    estate.project("a")
    estate.settings(LATER)
    estate.weft("daemon", "start")
    good = (estate.root / "weft.toml").read_text()
    (estate.root / "weft.toml").write_text(good.replace("grace", "garce"))
    until(lambda: "settings are kept as they were" in log(estate), lambda: log(estate))
    assert "garce" in status(estate)["settings_problem"]
    assert "warning: settings are kept as they were" in estate.weft("daemon", "status").out
    estate.settings(AT_ONCE)
    has_run_once = "=== Run Complete ==="
    until(lambda: has_run_once in log(estate), lambda: log(estate))
    assert "settings are right again" in log(estate)
    assert status(estate)["settings_problem"] is None
    assert estate.sessions() == ["a#tidy"]


def test_killed_it_leaves_nothing_and_can_be_started_again(estate: Estate) -> None:
    """PROJ-8: kill -9 of the daemon ends its agents too; the next one starts and does the project's task."""
    estate.project("a")
    estate.settings(AT_ONCE)
    estate.does("exec", "hold a; echo x > a.txt")
    pid = estate.weft("daemon", "start", "--json").document["pid"]
    until(estate.reached("a"))
    os.kill(pid, signal.SIGKILL)
    until(lambda: not estate.alive(), lambda: f"left: {estate.alive()}")
    assert not status(estate)["running"]
    estate.go("all")
    answer = estate.weft("daemon", "run-once", "--json")
    assert statuses(answer.document) == {"a": "passed"}


def test_run_once(estate: Estate) -> None:
    """PROJ-8: one turn of the daemon, at once and here, with the run's exit code; the same guard as ever."""
    estate.projects("a", "b")
    estate.settings("[schedule]\nproject_parallelism = true")
    estate.does("exec-b", "exit 1")
    first = estate.weft("daemon", "run-once", "--json")
    assert first.code == 1
    assert statuses(first.document) == {"a": "passed", "b": "failed"}
    assert first.document["errors"][0]["project"] == "b"
    estate.does("exec-b", "exit 0")
    second = estate.weft("daemon", "run-once")
    assert second.code == 0
    assert second.out.endswith("passed: 1 skipped, 1 no change\n")
    third = estate.weft("daemon", "run-once")
    assert (third.code, third.out.partition(":")[0]) == (0, "Nothing ran because")


def test_install_writes_what_the_foreground_daemon_is(estate: Estate) -> None:
    """PROJ-8: the unit runs the foreground daemon in the same folder with the same state; a file that says something
    else is not written over unasked.
    """
    estate.project("a")
    estate.settings(LATER)
    answer = estate.weft("daemon", "install", "--manager", "systemd", "--json")
    assert answer.code == 0, answer.err
    unit = estate.root / "config" / "systemd" / "user" / "weft.service"
    assert answer.document["path"] == str(unit)
    lines = unit.read_text().splitlines()
    assert next(line for line in lines if line.startswith("ExecStart=")).endswith(
        '"-m" "weft" "daemon" "start" "--foreground"'
    )
    assert f"WorkingDirectory={estate.root}" in lines
    assert f'Environment="WEFT_HOME={estate.state}"' in lines
    assert estate.weft("daemon", "install", "--manager", "systemd").code == 0
    unit.write_text("mine")
    refused = estate.weft("daemon", "install", "--manager", "systemd")
    assert refused.code == 2
    assert unit.read_text() == "mine"
    assert estate.weft("daemon", "install", "--manager", "systemd", "--force").code == 0
    plist = estate.weft("daemon", "install", "--manager", "launchd", "--print").out
    assert "<string>--foreground</string>" in plist
    assert not (estate.home / "Library").exists()


def test_logs_before_any_daemon(estate: Estate) -> None:
    """PROJ-8: there is nothing to show, which is no error."""
    answer = estate.weft("daemon", "logs", "--json")
    assert answer.document["lines"] == []
    assert estate.weft("daemon", "status").out == "daemon: not running\n"


@pytest.mark.parametrize("flags", [(), ("--foreground",)], ids=["detached", "foreground"])
@pytest.mark.parametrize(("cron", "window"), [("0 0 30 2 *", ""), ("0 12 * * *", "22:00-06:00")])
def test_a_schedule_without_a_moment_is_refused(estate: Estate, cron: str, window: str, flags: tuple[str, ...]) -> None:
    """PROJ-8: a daemon that would never do anything is not started, and says which settings do not go together."""
    estate.project("a")
    estate.settings(f'[schedule]\ncron = "{cron}"\nwindow = "{window}"\n')
    answer = estate.weft("daemon", "start", *flags)
    assert answer.code == 2
    assert f"`schedule.cron = {cron}` has no moment within `schedule.window = {window}`" in answer.err


def test_an_edit_without_a_moment_does_not_end_it(estate: Estate) -> None:
    """PROJ-8: the daemon lives on, and goes by the next edit that is right."""
    estate.project("a")
    estate.settings(LATER)
    pid = estate.weft("daemon", "start", "--json").document["pid"]
    estate.settings('[schedule]\ncron = "0 0 30 2 *"\nwindow = ""\n')
    until(lambda: "no run will start" in log(estate), lambda: log(estate))
    estate.settings(LATER)
    until(lambda: log(estate).count("next run at") >= 2, lambda: log(estate))
    assert status(estate)["pid"] == pid
    assert estate.weft("daemon", "stop").code == 0
