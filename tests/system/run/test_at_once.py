"""How many run at once, and what one's failure means for the others. Exact numbers: agents stand still until told."""

from __future__ import annotations

import pytest
from tests.support.shop import Shop

from weft.model.events import JobAdmitted


@pytest.mark.parametrize(("flags", "cap"), [((), 3), (("--concurrency", "2"), 2), (("--concurrency", "5"), 5)])
def test_exactly_the_cap(shop: Shop, flags: tuple[str, ...], cap: int) -> None:
    """RUN-1, RUN-2: with as many agents standing still as the cap allows no further issue is admitted; never more."""
    idents = shop.issues(*"123456")
    shop.does("exec", 'hold "$id"; echo x > "$id.txt"')
    started = shop.start("run", *idents, *flags, "--json")
    started.until(lambda: len(shop.all_reached()) == cap)
    assert sum(isinstance(event, JobAdmitted) for event in shop.events()) == cap
    for _ in range(len(idents) - cap):
        before = shop.all_reached()
        shop.go(sorted(before - _released(shop))[0])
        started.until(lambda before=before: shop.all_reached() > before)
        assert len(shop.all_reached()) == len(before) + 1
    shop.go("all")
    assert started.wait().code == 0
    assert shop.most_at_once() == cap


def _released(shop: Shop) -> set[str]:
    return {path.name.removeprefix("go.") for path in shop.stage.glob("go.*")}


def test_one_at_a_time_goes_on_after_a_failure(shop: Shop) -> None:
    """RUN-4: `--concurrency 1` is one after the other, in the order given, and a failure stops nobody."""
    shop.issues(*"1234")
    shop.does("exec-2", "exit 1")
    answer = shop.run("3", "2", "1", "4", "--concurrency", "1")
    assert answer.code == 1
    assert answer.statuses == {"3": "passed", "2": "failed", "1": "passed", "4": "passed"}
    assert shop.sessions() == ["3", "2", "1", "4"]
    assert shop.most_at_once() == 1


@pytest.mark.parametrize("script", ["exit 1", "exit 0", "kill -9 $$"], ids=["failed", "no change", "killed"])
def test_no_failure_stops_another(shop: Shop, script: str) -> None:
    """RUN-4: in parallel, whatever becomes of one, the one beside it goes on to its end."""
    shop.issues("1", "2")
    shop.does("exec-1", f"hold 1; {script}")
    shop.does("exec-2", "hold 2; echo x > 2.txt")
    started = shop.start("run", "1", "2")
    started.until(shop.reached("1", "2"))
    shop.go("1")
    started.until(lambda: "Issue #1 " in started.err)
    shop.go("2")
    answer = started.wait()
    assert answer.code == 1
    assert "✓ Issue #2 completed" in answer.err


SEQUENTIAL = {
    "failed": ("exit 1", "failed"),
    "no change": ("exit 0", "no_change"),
}


@pytest.mark.parametrize(("script", "status"), SEQUENTIAL.values(), ids=SEQUENTIAL)
def test_sequential_stops(shop: Shop, script: str, status: str) -> None:
    """RUN-3: the first that ends failed or without a change stops the run; the rest are `not_run`."""
    shop.issues(*"1234")
    shop.does("exec-2", script)
    answer = shop.run("1", "2", "3", "4", "--sequential")
    assert answer.code == 1
    assert answer.document["mode"] == "sequential"
    assert answer.statuses == {"1": "passed", "2": status, "3": "not_run", "4": "not_run"}
    assert shop.sessions() == ["1", "2"]
    assert shop.branches() == {"weft/1-thing-1", "weft/2-thing-2"}


def test_sequential_stops_at_a_parked_one(shop: Shop) -> None:
    """RUN-3: so does one that is parked."""
    shop.issues("1", "3")
    shop.issue("2", front="depends_on: [9]")
    shop.issue("9")
    shop.repo.commit("more")
    answer = shop.run("1", "2", "3", "--sequential")
    assert answer.statuses == {"1": "passed", "2": "parked", "3": "not_run"}
    assert answer.code == 1


def test_sequential_stops_at_a_cancelled_one(shop: Shop) -> None:
    """RUN-3: and one that a person cancelled."""
    shop.issues("1", "2")
    shop.does("exec-1", "hold 1")
    started = shop.start("run", "1", "2", "--sequential", "--json")
    started.until(shop.reached("1"))
    assert shop.weft("cancel", "1").code == 0
    answer = started.wait()
    assert answer.statuses == {"1": "cancelled", "2": "not_run"}
    assert answer.code == 1


def test_sequential_from_settings_and_back(shop: Shop) -> None:
    """RUN-3: `run.sequential` does the same, and `--no-sequential` overrides it."""
    shop.settings('phases = ["exec"]\nsequential = true')
    shop.issues("1", "2")
    shop.does("exec-1", "exit 1")
    assert shop.run("1", "2").statuses == {"1": "failed", "2": "not_run"}
    assert shop.run("1", "2", "--no-sequential").statuses == {"1": "failed", "2": "passed"}


def test_one_at_a_time_tells_more(shop: Shop) -> None:
    """RUN-3: with one job at a time the terminal shows each phase's agent, model, attempt and gates."""
    shop.settings("", test="test -e 1.txt", more='model = "m-7"')
    shop.issues("1")
    shop.does("exec-1-1", "echo y > other.txt")
    answer = shop.weft("run", "1", "--sequential")
    assert answer.code == 0
    lines = [line.strip() for line in answer.lines]
    at = lines.index("● #1: exec started")
    assert lines[at + 1] == "agent mine · model m-7 · attempt 1"
    assert lines[lines.index("● #1: qa started") + 1] == "agent mine · model m-7 · attempt 1"
    assert any(line.startswith("gate test ✗ (exit status 1, ") for line in lines)
    assert any(line.startswith("gate test ✓ (") for line in lines)
    assert "agent mine · model m-7 · attempt 2" in lines
