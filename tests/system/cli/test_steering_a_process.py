"""The levers on a real `weft run` in a process of its own (WAVE-4)."""

from __future__ import annotations

import json

from tests.system.cli.desk import Desk


def test_every_lever_on_a_run_under_way(desk: Desk) -> None:
    """WAVE-4: cap, pause, resume, cancel and retry act on the one run under way, and on nothing else."""
    shop = desk.shop
    for ident in ("1", "2", "3"):
        shop.tell(ident)
    process = shop.start("run", "1", "2", "3", "--concurrency", "1", "--json")
    shop.wait_started("1")
    assert "cap is 1, taken by shop#1" in desk.weft("why", "2").out
    assert desk.weft("cap", "2").code == 0
    shop.wait_started("2")
    assert desk.weft("pause").code == 0
    shop.release("1")
    _wait_for(desk, "1", "passed")
    assert "the run is paused" in desk.weft("why", "3").out
    assert desk.weft("resume").code == 0
    shop.wait_started("3")
    assert desk.weft("cancel", "2").code == 0
    _wait_for(desk, "2", "cancelled")
    shop.release("2")
    assert desk.weft("retry", "2").code == 0
    _wait_for(desk, "2", "passed")
    shop.release("3")
    out, _ = process.communicate()
    assert process.returncode == 0
    assert {job["issue"]: job["status"] for job in json.loads(out)["jobs"]} == dict.fromkeys("123", "passed")


def _wait_for(desk: Desk, ident: str, status: str) -> None:
    """The test's timeout bounds it."""
    while desk.statuses()[ident] != status:
        pass
