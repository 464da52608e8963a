"""Sessions that do nothing are stopped; those that work in silence are not (RECOVER-7). Real processes."""

from __future__ import annotations

from tests.support.shop import Shop

from weft.model.events import SessionEnded
from weft.model.phase import FailureClass

STALL = 'phases = ["exec"]\nstall = "1s"'


def test_a_session_that_sleeps(shop: Shop) -> None:
    """Stopped with all its processes; its failure says so, and nothing of it is left (RECOVER-7)."""
    shop.settings(STALL)
    shop.issues("1")
    shop.does("exec", "echo began\n(setsid sleep 300 &)\nsleep 300\n")
    answer = shop.run("1")
    job = answer.job("1")
    assert (answer.code, job["status"]) == (1, "failed")
    assert job["reason"] == "Phase exec failed: stopped after 1 s without a sign of work"
    (ended,) = [event for event in shop.events() if isinstance(event, SessionEnded)]
    assert ended.outcome.failure is not None
    assert ended.outcome.failure.kind is FailureClass.STALLED
    assert not shop.debris()


def test_tried_again(shop: Shop) -> None:
    """Where the phase's `retry` names the class, it is tried again as after any other failure (RUN-9)."""
    more = '[phases.exec]\nretry = { classes = ["stalled"], times = 1, backoff = "0s" }'
    shop.settings(STALL, more=more)
    shop.issues("1")
    shop.does("exec-1-1", "sleep 300\n")
    answer = shop.run("1")
    assert answer.code == 0
    assert answer.job("1")["phases"][0]["attempts"] == 2


def test_silent_but_busy(shop: Shop) -> None:
    """A busy child, though it prints nothing and writes nothing, is progress: also one that left its parent."""
    shop.settings(STALL)
    shop.issues("1", "2")
    spin = "import time\nuntil = time.monotonic() + 4\nwhile time.monotonic() < until: pass\n"
    (shop.stage / "spin.py").write_text(spin)
    shop.does("exec-1", f"python3 {shop.stage}/spin.py\necho done > 1.txt\n")
    away = f"(setsid python3 {shop.stage}/spin.py > /dev/null 2>&1; : > {shop.stage}/spun) &"
    shop.does("exec-2", f"({away})\nuntil [ -e {shop.stage}/spun ]; do sleep 0.5; done\necho done > 2.txt\n")
    answer = shop.run("1", "2")
    assert answer.statuses == {"1": "passed", "2": "passed"}, answer.err


def test_files_alone(shop: Shop) -> None:
    """An agent that writes a file now and then works, silent and idle as it seems."""
    shop.settings(STALL.replace("1s", "2s"))
    shop.issues("1")
    shop.does("exec", "for n in 1 2 3 4 5 6 7 8 9; do echo $n > part; sleep 0.5; done\n")
    assert shop.run("1").code == 0


def test_never(shop: Shop) -> None:
    """`0s` for a phase lifts the run's limit from it."""
    shop.settings(STALL, more='[phases.exec]\nstall = "0s"')
    shop.issues("1")
    shop.does("exec", "sleep 3\necho done > 1.txt\n")
    assert shop.run("1").code == 0
