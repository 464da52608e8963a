"""`weft why`: from the scheduler's own state (PLAN-1)."""

from __future__ import annotations

import json
from pathlib import Path

from tests.system.cli.conftest import Weft
from tests.system.cli.runs import START, Written, key, plan, under_way, write


def test_a_job_that_waits_for_a_slot(weft: Weft, state: Path, folder: Path) -> None:
    """PLAN-1: the cap and who has the slots."""
    with under_way(state, "r-live", plan("1", "2", path=folder, cap=1)):
        assert weft("why", "2").out == (
            "shop#2 waits for a slot: the cap is 1, taken by shop#1\n  in run r-live, running\n"
        )
        assert weft("why", "1").out.startswith("shop#1 is running: phase exec, attempt 1\n")
        document = json.loads(weft("why", "shop#2", "--json").out)
    assert (document["job"], document["status"], document["run_status"]) == ("shop#2", "waiting", "running")


def test_a_job_that_waits_for_another(weft: Weft, state: Path, folder: Path) -> None:
    """PLAN-1: the dependency it waits for."""
    with under_way(state, "r-live", plan("1", "2", path=folder, needs={"2": "1"})):
        assert weft("why", "2").out.startswith("shop#2 waits for shop#1 (session)\n")


def test_the_run_under_way_is_meant_before_later_ones(weft: Weft, state: Path, folder: Path) -> None:
    """A job in several runs: the latest run under way, else the latest; `--run` names another."""
    with under_way(state, "r-live", plan("1", path=folder)):
        write(state, Written("r-later", plan("1", path=folder), START * 2).passes(key("1")).over())
        assert "in run r-live" in weft("why", "1").out
        assert weft("why", "1", "--run", "r-later").out == ("shop#1 has ended: passed\n  in run r-later, passed\n")
    assert "in run r-later" in weft("why", "1").out


def test_the_governor_and_the_pause_are_named(weft: Weft, state: Path, folder: Path) -> None:
    """PLAN-1: a pause is said to be the reason, with what lifts it."""
    with under_way(state, "r-live", plan("1", "2", path=folder, cap=1)):
        assert weft("pause").code == 0
        assert "the run is paused (`weft resume` lifts it)" in weft("why", "2").out
