"""Sessions that go on for long are ended at checkpoints, and fresh ones go on with their work (RECOVER-7)."""

from __future__ import annotations

from tests.support.shop import Shop

from weft.model.events import PhaseEnded, SessionEnded
from weft.model.outcome import PhaseStatus
from weft.model.phase import FailureClass

SHORT = 'phases = ["exec"]\ncheckpoint = "1s"'


def test_a_fresh_session_goes_on(shop: Shop) -> None:
    """The work is committed as it was, the next session finds it and is told of it, and its result counts."""
    shop.settings(SHORT)
    shop.issues("1")
    shop.does("exec-1-1", "echo half > half.txt\necho 'the half is there'\nsleep 300\n")
    shop.does("exec-1-2", "test -f half.txt && echo whole > whole.txt\n")
    answer = shop.run("1")
    assert answer.code == 0, answer.err
    assert answer.job("1")["phases"][0]["attempts"] == 2
    prompt = shop.prompt("1", "exec", 2)
    assert "You go on with work that is under way" in prompt
    assert "half.txt" in prompt
    assert "the half is there" in prompt
    branch = answer.job("1")["branch"]
    subjects = shop.repo.git("log", "--format=%s", f"main..{branch}").splitlines()
    assert subjects == ["Thing 1 (#1)", "Work in progress: Thing 1 (#1)"]
    assert [event.status for event in shop.events() if isinstance(event, PhaseEnded)] == [
        PhaseStatus.CONTINUED,
        PhaseStatus.PASSED,
    ]
    assert not shop.debris()


def test_stuck(shop: Shop) -> None:
    """After three the job is parked with that reason; all they did is on its branch (RECOVER-7)."""
    shop.settings(SHORT)
    shop.issues("1")
    shop.does("exec", "echo $WEFT_ATTEMPT >> log.txt\nsleep 300\n")
    answer = shop.run("1")
    job = answer.job("1")
    assert (answer.code, job["status"]) == (1, "parked")
    assert job["reason"].startswith("stuck: 3 sessions of 1s without a result")
    log = shop.repo.git("show", f"{job['branch']}:log.txt").splitlines()
    assert [line.rpartition("/")[2] for line in log] == ["1", "2", "3"]
    assert not shop.debris()


def test_asked_gently(shop: Shop) -> None:
    """Its own process alone is signalled, and may bring its work to an end while its children live."""
    shop.settings(SHORT)
    shop.issues("1")
    ends = "trap 'test -d /proc/$child && echo tidy > tidy.txt; kill $child; exit 75' TERM"
    shop.does("exec-1-1", f"sleep 300 &\nchild=$!\n{ends}\nwait\n")
    shop.does("exec-1-2", "test -f tidy.txt && echo whole > whole.txt\n")
    assert shop.run("1").code == 0
    assert not shop.debris()


def test_done_when_asked(shop: Shop) -> None:
    """A session that succeeds in that very moment has succeeded."""
    shop.settings(SHORT)
    shop.issues("1")
    shop.does("exec", "trap 'echo done > done.txt; exit 0' TERM\nsleep 300 &\nwait\n")
    answer = shop.run("1")
    assert answer.code == 0
    assert answer.job("1")["phases"][0]["attempts"] == 1


def test_deaf_to_the_question(shop: Shop) -> None:
    """A cancellation while it takes its time is heeded at once."""
    shop.settings(SHORT, grace="100ms")
    shop.issues("1")
    shop.does("exec", f"trap ': > {shop.stage}/reached.asked' TERM\nuntil false; do sleep 0.05; done\n")
    started = shop.start("run", "1", "--json")
    started.until(shop.reached("asked"))
    assert shop.weft("cancel", "1").code == 0
    assert started.wait().statuses == {"1": "cancelled"}
    assert not shop.debris()


def test_a_time_limit_below_it(shop: Shop) -> None:
    """The phase's `timeout` holds for each session, and is a failure as ever."""
    shop.settings('phases = ["exec"]\ncheckpoint = "1h"', more='[phases.exec]\ntimeout = "1s"')
    shop.issues("1")
    shop.does("exec", "sleep 300\n")
    assert shop.run("1").statuses == {"1": "failed"}
    (ended,) = [event for event in shop.events() if isinstance(event, SessionEnded)]
    assert ended.outcome.failure is not None
    assert ended.outcome.failure.kind is FailureClass.TIMEOUT


def test_phases_that_do_not_write_have_none(shop: Shop) -> None:
    """What they leave is not kept, so nobody could go on with it."""
    shop.settings('phases = ["spec"]\ncheckpoint = "500ms"')
    shop.issues("1")
    shop.does("spec", "sleep 2\n")
    assert shop.run("1").code == 0
