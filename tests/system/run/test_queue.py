"""`weft queue` on a run under way (MERGE-6)."""

from __future__ import annotations

import re
import signal

import pytest
from tests.support.gated_shop import TARGET, GatedShop
from tests.support.shop import Shop

from weft.model.events import JobEnded, QueueHoldSet


@pytest.fixture
def gated(shop: Shop) -> GatedShop:
    return GatedShop(shop, "window = 2")


def test_who_stands_in_it(gated: GatedShop) -> None:
    """MERGE-6: place, state, what each is stacked on, since when; alone `weft queue` is the list."""
    shop = gated.shop
    started = gated.run("1", "2", "3")
    started.until(gated.are(_1="testing", _2="testing", _3="waiting"))
    queue = gated.queue()
    assert (queue["repo"], queue["target"], queue["window"]) == ("shop", TARGET, 2)
    assert (queue["held"], queue["stuck"]) == (False, None)
    assert [(item["key"], item["stacked_on"]) for item in queue["items"]] == [
        ("shop#1", None),
        ("shop#2", "shop#1"),
        ("shop#3", "shop#2"),
    ]
    since = [item["since"] for item in queue["items"]]
    assert since == sorted(since)
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", each) for each in since)
    head, *rows = shop.weft("queue").out.splitlines()
    assert head == f"shop → {TARGET} · window 2 · run {shop.runs()[-1]}"
    assert [row.split()[:5] for row in rows] == [
        ["1.", "shop#1", "testing", "on", "the"],
        ["2.", "shop#2", "testing", "on", "shop#1"],
        ["3.", "shop#3", "waiting", "on", "shop#2"],
    ]
    shop.go("all")
    answer = started.wait()
    assert answer.code == 0
    assert [(job["merged"], job["target"]) for job in answer.document["jobs"]] == [(True, TARGET)] * 3
    assert shop.weft("queue", "--json").document == {"queues": []}
    run = shop.runs()[-1]
    assert shop.weft("queue", "list", "--run", run, "--json").document["queues"][0]["items"] == []


def test_hold_and_release(gated: GatedShop) -> None:
    """MERGE-6: held, nothing new is tested or landed, though its gates pass; released, all land in order."""
    shop = gated.shop
    started = gated.run("1", "2", "3")
    assert "the merge queue of shop is held" in shop.weft("queue", "hold").out
    assert gated.queue()["held"]
    shop.go("merge-1", "merge-2")
    started.until(gated.are(_1="passed", _2="passed", _3="waiting"))
    assert "held by you; `weft queue release shop` lifts it" in shop.weft("queue").out
    assert "which is held" in shop.weft("why", "3").out
    assert not shop.has_event(JobEnded)()
    answer = shop.weft("queue", "release", "shop", "--json").document
    assert (answer["held"], answer["repos"]) == (False, ["shop"])
    shop.go("all")
    assert started.wait().code == 0
    assert [event.job.id for event in shop.events() if isinstance(event, JobEnded)] == ["1", "2", "3"]
    assert [event.held for event in shop.events() if isinstance(event, QueueHoldSet)] == [True, False]


def test_remove_one(gated: GatedShop) -> None:
    """MERGE-6: it is parked and its branch kept; those behind it are built and land without it."""
    shop = gated.shop
    started = gated.run("1", "2", "3")
    started.until(gated.are(_1="testing", _2="testing", _3="waiting"))
    answer = shop.weft("queue", "remove", "1")
    assert "shop#1 is out of the merge queue; its branch is kept" in answer.out
    started.until(gated.are(_2="testing", _3="testing"))
    assert [item["stacked_on"] for item in gated.queue()["items"]] == [None, "shop#2"]
    again = shop.weft("queue", "remove", "1")
    assert again.code == 2
    assert "error: shop#1 is not in the merge queue: it has ended: parked" in again.err
    shop.go("all")
    ended = started.wait()
    assert (ended.code, ended.statuses) == (1, {"1": "parked", "2": "passed", "3": "passed"})
    assert ended.job("1")["reason"] == "removed from the merge queue"
    assert {"2.txt", "3.txt"} <= shop.repo.files(TARGET)
    assert "1.txt" not in shop.repo.files(TARGET)
    assert shop.repo.show("weft/1-thing-1", "1.txt") == "work on 1"


def test_what_is_refused(gated: GatedShop) -> None:
    """Unknown jobs and repos, and a job that is not there yet, are exit 2 with what there is; nothing changes."""
    shop = gated.shop
    shop.issues("9")
    started = gated.run("1", "9")
    for args, message, hint in (
        (("remove", "7"), "Unknown job `7` in run ", "its jobs are `shop#1`, `shop#9`"),
        (("hold", "shpo"), "has no merge queue of `shpo`, did you mean `shop`?", "it has those of `shop`"),
        (("release", "api"), "has no merge queue of `api`", "it has those of `shop`"),
        (("list", "--run", "r-none"), "Unknown run `r-none`", "known are "),
    ):
        answer = shop.weft("queue", *args)
        assert (answer.code, answer.out) == (2, "")
        assert message in answer.err
        assert f"hint: {hint}" in answer.err
    shop.go("all")
    assert started.wait().code == 0


def test_a_job_that_still_works(gated: GatedShop) -> None:
    """Removing one that has not reached the queue is exit 2, and says where it is."""
    shop = gated.shop
    shop.issues("1")
    started = shop.start("run", "1", "--json")
    started.until(shop.reached("exec-1"))
    answer = shop.weft("queue", "remove", "1")
    assert answer.code == 2
    assert "error: shop#1 is not in the merge queue: it is running: phase exec, attempt 1" in answer.err
    assert "hint: `weft cancel shop#1` stops it" in answer.err
    shop.go("all")
    assert started.wait().code == 0


def test_a_run_that_merges_nothing(shop: Shop) -> None:
    """A run without a queue has none to hold, and lists none."""
    shop.issues("1")
    shop.does("exec", 'hold "$id"; echo x > x.txt')
    started = shop.start("run", "1", "--json")
    started.until(shop.reached("1"))
    assert shop.weft("queue", "--json").document == {"queues": []}
    answer = shop.weft("queue", "hold")
    assert answer.code == 2
    assert "has no merge queue" in answer.err
    assert "hint: `weft run ISSUE --merge queue`" in answer.err
    shop.go("all")
    assert started.wait().code == 0


@pytest.mark.parametrize("args", [("hold",), ("release",), ("remove", "1")])
def test_without_a_run(shop: Shop, args: tuple[str, ...]) -> None:
    """There is nothing to steer: exit 2 with what would start something."""
    answer = shop.weft("queue", *args)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("error: No run is under way\nhint: `weft run ISSUE --merge queue`")


def test_an_interrupted_run(gated: GatedShop) -> None:
    """With no run under way: the queue as the latest run that died left it; it cannot be steered."""
    shop = gated.shop
    started = gated.run("1", "2")
    started.process.kill()
    started.process.wait()
    assert set(gated.states()) == {"1", "2"}
    assert shop.weft("queue", "hold").code == 2
    shop.go("all")
    assert shop.weft("recover", "--json").code == 0
    assert shop.weft("queue", "--json").document == {"queues": []}


def test_a_look_at_what_recovery_would_do(gated: GatedShop) -> None:
    """RECOVER-3: of a job that stands in the queue, `weft recover --dry-run` says that it is merged again."""
    started = gated.run("1")
    started.until(gated.are(_1="testing"))
    started.send(signal.SIGKILL)
    started.wait()
    assert "is merged and tested again" in gated.shop.weft("recover", "--dry-run").out
    gated.shop.go("all")
    assert gated.shop.weft("recover").code == 0
