"""`weft cap`, `pause`, `resume`, `cancel`, `retry` from another process, against a run under way."""

from __future__ import annotations

import pytest
from tests.support.shop import Shop

from weft.model.events import CapSet, JobAdmitted, JobEnded, PauseSet


@pytest.fixture
def held(shop: Shop) -> Shop:
    """Six issues whose agents stand still until told."""
    shop.issues(*"123456")
    shop.does("exec", 'hold "$id"; echo x > "$id.txt"')
    return shop


def admitted(shop: Shop) -> int:
    return sum(isinstance(event, JobAdmitted) for event in shop.events())


def test_a_higher_cap(held: Shop) -> None:
    """The lever: raised from 1 to 4 while the first stands still, three more begin, and no fifth."""
    started = held.start("run", *"123456", "--concurrency", "1", "--json")
    started.until(held.reached("1"))
    assert held.weft("cap", "4").code == 0
    started.until(held.reached(*"1234"))
    assert admitted(held) == 4
    held.go("all")
    assert started.wait().code == 0
    assert held.most_at_once() == 4


def test_a_lower_cap(held: Shop) -> None:
    """Lowered from 3 to 1: no session is stopped; the next begins when all but none of them have ended."""
    started = held.start("run", *"12345", "--json")
    started.until(held.reached(*"123"))
    assert held.weft("cap", "1").code == 0
    started.until(held.has_event(CapSet))
    held.go("1")
    started.until(lambda: len(_ended(held)) == 1)
    held.go("2")
    started.until(lambda: len(_ended(held)) == 2)
    assert admitted(held) == 3
    held.go("3")
    started.until(held.reached("4"))
    assert admitted(held) == 4
    held.go("4")
    started.until(held.reached("5"))
    held.go("5")
    answer = started.wait()
    assert answer.code == 0
    assert set(answer.statuses.values()) == {"passed"}


def _ended(shop: Shop) -> list[str]:
    return [event.job.id for event in shop.events() if isinstance(event, JobEnded)]


def test_pause_and_resume(held: Shop) -> None:
    """Paused: what runs goes on to its end, nothing new begins; resumed, the rest follow."""
    started = held.start("run", *"123", "--concurrency", "1", "--json")
    started.until(held.reached("1"))
    assert held.weft("pause").code == 0
    started.until(held.has_event(PauseSet))
    held.go("1")
    started.until(lambda: _ended(held) == ["1"])
    assert admitted(held) == 1
    assert "paused" in held.weft("status").out
    assert held.weft("resume").code == 0
    started.until(held.reached("2"))
    held.go("all")
    assert started.wait().code == 0


def test_cancel_one(held: Shop) -> None:
    """Its session is ended, its work saved, the next takes its place; the others never notice."""
    held.does("exec-2", 'echo half > half.txt; hold "$id"')
    started = held.start("run", *"1234", "--json")
    started.until(held.reached(*"123"))
    assert held.weft("cancel", "2").code == 0
    started.until(held.reached("4"))
    held.go("all")
    answer = started.wait()
    assert answer.code == 1
    assert answer.statuses == {"1": "passed", "2": "cancelled", "3": "passed", "4": "passed"}
    (saved,) = held.repo.saved()
    assert held.repo.show(saved, "half.txt") == "half"


def test_cancel_one_that_waits(held: Shop) -> None:
    """One that has not begun ends at once and never begins; what depends on it is parked."""
    held.issue("1", front="priority: 1")
    held.issue("7", front="depends_on: [6]")
    started = held.start("run", "1", "6", "7", "--concurrency", "1", "--json")
    started.until(held.reached("1"))
    assert held.weft("cancel", "shop#6").code == 0
    started.until(lambda: _ended(held) == ["6", "7"])
    held.go("all")
    answer = started.wait()
    assert answer.statuses == {"1": "passed", "6": "cancelled", "7": "parked"}
    assert held.sessions() == ["1"]


def test_retry_one(held: Shop) -> None:
    """A failed one and the one parked behind it run again in the same run, which then succeeds."""
    held.issue("7", front="depends_on: [1]")
    held.does("exec-1-1", "exit 1")
    held.does("exec-1", "echo x > 1.txt")
    started = held.start("run", "1", "2", "7", "--json")
    started.until(held.reached("2"))
    started.until(lambda: set(_ended(held)) == {"1", "7"})
    assert held.weft("retry", "1").code == 0
    started.until(held.reached("7"))
    held.go("all")
    answer = started.wait()
    assert answer.code == 0
    assert answer.statuses == {"1": "passed", "2": "passed", "7": "passed"}


@pytest.mark.parametrize("args", [("cap", "0"), ("cap", "-1"), ("cap", "abc"), ("cancel", "99"), ("retry", "99")])
def test_wrong_requests(held: Shop, args: tuple[str, ...]) -> None:
    """Exit 2, and the run goes on as if nothing had been asked."""
    started = held.start("run", "1", "--json")
    started.until(held.reached("1"))
    assert held.weft(*args).code == 2
    held.go("all")
    assert started.wait().code == 0


def test_without_a_run(shop: Shop) -> None:
    """There is nothing to steer: exit 2, in one sentence."""
    for args in (("cap", "2"), ("pause",), ("resume",)):
        answer = shop.weft(*args)
        assert answer.code == 2
        assert "Traceback" not in answer.err
