"""What people see of jobs that are merged: lines, summary, JSON, and the commands that look at them afterwards."""

from __future__ import annotations

import json

import pytest
from tests.support.gated_shop import TARGET, GatedShop
from tests.support.shop import Shop

from weft.model.events import QueueHoldSet, TargetRed


@pytest.fixture
def gated(shop: Shop) -> GatedShop:
    gated = GatedShop(shop)
    gated.gate("merge", "true")
    return gated


def test_lines_and_summary(gated: GatedShop) -> None:
    """RUN-10, RUN-11, RUN-15: queued, started, landed; completed only then; the row and the hint name the target."""
    gated.gate("merge", 'hold "merge-$id"')
    started = gated.run("1", "2", args=())
    gated.shop.go("all")
    answer = started.wait()
    lines = [line.partition(" (")[0] if "✓" in line else line for line in answer.lines]
    own = [line for line in lines if "#1" in line and not line.startswith("Progress")]
    assert own == [
        "● #1: exec started",
        "● #1: exec ✓",
        "● #1: merge queued",
        "● #1: merge started",
        "● #1: merge ✓",
        "✓ Issue #1 completed",
    ]
    assert "● #2: merge queued (1 ahead)" in answer.lines
    _, row, _, hint = answer.out.splitlines()
    assert row.startswith(f"#1 ✔ passed  exec → merge · weft/1-thing-1 → {TARGET} · ")
    assert hint.startswith("next: git diff ")
    assert hint.endswith(f"...{TARGET}")
    shown = gated.shop.repo.git(*hint.removeprefix("next: git ").split(), "--stat")
    assert "1.txt" in shown
    assert "2.txt" in shown


def test_a_conflict_goes_back_to_its_author(gated: GatedShop) -> None:
    """MERGE-4: the line says what the conflict is and which repair it is; the diff is the job's own change."""
    shop = gated.shop
    gated.gate("merge", 'hold "merge-$id"')
    shop.does("exec-2-1", 'hold "exec-$id"; echo two > 1.txt')
    shop.does("exec-2", "echo both > 1.txt")
    started = gated.run("1", "2", args=())
    shop.go("all")
    answer = started.wait()
    assert answer.code == 0, answer.err
    wanted = f"● #2: merge ✗ conflict with {TARGET} in 1.txt; back to its author (repair 1 of 2)"
    assert answer.lines.count(wanted) == 1
    assert answer.lines.count("● #2: merge started") == 1
    assert "exec ×2 → merge ×2" in answer.out
    job = shop.weft("report", "--json").document["jobs"][1]
    assert (job["merged"], job["target"], job["repairs"]) == (True, TARGET, 1)
    assert shop.repo.git("merge-base", "--is-ancestor", job["landed"], TARGET) == ""
    diff = shop.weft("diff", "2").out
    assert "-work on 1\n+both\n" in diff


def test_without_repairs_left(shop: Shop) -> None:
    """MERGE-4: the last word is that a person is needed."""
    gated = GatedShop(shop, "repairs = 0")
    shop.does("exec-2", 'hold "exec-$id"; echo two > 1.txt')
    started = gated.run("1", "2", args=())
    shop.go("all")
    answer = started.wait()
    assert f"● #2: merge ✗ conflict with {TARGET} in 1.txt; needs a person" in answer.lines
    assert "⚠ parked  exec → merge ✗ · weft/2-thing-2 · " in answer.out


def test_a_red_target(gated: GatedShop) -> None:
    """MERGE-5: told in the lines, at the top of `weft status` and in the queue, with what to do; nobody is blamed."""
    shop = gated.shop
    gated.gate("merge-1", "exit 1")
    gated.gate("target", '[ -e "$STAGE/mended" ]')
    shop.issues("1", "2")
    started = shop.start("run", "1", "2")
    started.until(shop.reached("exec-1", "exec-2"))
    shop.go("exec-1")
    started.until(shop.has_event(TargetRed))
    queue = gated.queue()
    assert queue["stuck"].startswith(f"target is red: gate test failed on {TARGET} itself, at ")
    assert [item["state"] for item in queue["items"]] == ["waiting"]
    assert "hint: mend it, then `weft queue release shop`" in shop.weft("queue").out
    status = shop.weft("status").out
    assert status.startswith(f"NEEDS YOU\n  {TARGET}: target is red: gate test failed")
    assert "hint: mend it, `weft queue release shop`" in status
    (run,) = json.loads(shop.weft("status", "--json").out)["runs"]
    assert (run["queued"], run["targets"][0]["stuck"]) == (1, queue["stuck"])
    gated.gate("merge-1", "true")
    assert shop.weft("queue", "release").code == 0
    started.until(shop.has_event(QueueHoldSet))
    shop.go("all")
    answer = started.wait()
    assert answer.code == 0, answer.err
    assert f"⚠ target {TARGET} is red: gate test failed; the queue holds, nobody is blamed" in answer.lines
    assert "merge queue of shop released" in answer.lines
    assert "merge ×" not in answer.out, "what was red through no fault of its own is no try"


def test_a_flaky_gate(gated: GatedShop) -> None:
    """MERGE-5: named as it happens, in the summary, in the report and at the top of `weft status`."""
    shop = gated.shop
    gated.gate("merge-1", '[ -e "$STAGE/once" ] || { : > "$STAGE/once"; exit 1; }')
    shop.go("all")
    shop.issues("1")
    answer = shop.weft("run", "1")
    assert answer.code == 0
    assert "⚠ #1: gate test is flaky: it failed, then passed on the same tree" in answer.lines
    assert "⚠ flaky gates, failed and then passed on the same tree: test (#1)" in answer.out.splitlines()
    report = shop.weft("report").out
    assert "flaky gates: test (#1)" in report
    assert "test passed the second time" in report
    assert shop.weft("status").out.startswith("FLAKY GATES\n  test  in r-")


def test_afterwards(gated: GatedShop) -> None:
    """`open` says where it was merged; `clean` keeps the journal while the target is there, and lets it go after."""
    shop = gated.shop
    shop.go("all")
    shop.issues("1")
    assert shop.run("1").code == 0
    assert f"its work is on branch weft/1-thing-1, merged into {TARGET}" in shop.weft("open", "1").out
    phases = shop.weft("stats", "--json").document["success"]["phase"]
    assert phases["merge"] == {"n": 1, "succeeded": 1, "rate": 1.0}
    shop.repo.git("branch", "-D", "weft/1-thing-1")
    kept = shop.weft("clean", "--older-than", "0s").out
    assert f"shop#1 passed there, and {TARGET}, which it was merged into, exists" in kept
    assert shop.run("1").statuses == {"1": "skipped"}
    shop.repo.git("branch", "-D", TARGET)
    shop.weft("clean", "--older-than", "0s")
    assert shop.weft("status", "--json").document["runs"] == []
