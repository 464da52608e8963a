"""`weft run --dry-run` (RUN-19)."""

from __future__ import annotations

import json

from tests.system.cli.desk import Desk


def test_it_says_what_would_run_and_changes_nothing(desk: Desk) -> None:
    """RUN-19: order, limits, an estimate that says it is unknown; exit 0; nothing is made."""
    before = desk.shop.repo.git("for-each-ref")
    answer = desk.weft("run", "1", "2", "--dry-run")
    assert answer.code == 0
    assert answer.out.startswith("DRY RUN · parallel · 2 to run · cap 3 · from ")
    assert "1.  #1  Title 1  weft/1-title-1" in answer.out
    assert "time and cost unknown: no attempt at exec has passed" in answer.out
    assert desk.shop.repo.git("for-each-ref") == before
    assert not desk.shop.state.exists()


def test_the_scheduler_s_order(desk: Desk) -> None:
    """RUN-19, WAVE-9: dependencies first, the longest remaining path before others, priority before all."""
    _issue(desk, "4", depends_on="[1]")
    _issue(desk, "5", depends_on="[4]")
    _issue(desk, "6", priority="5")
    document = json.loads(desk.weft("run", "2", "5", "1", "6", "4", "--dry-run", "--json").out)
    assert document["order"] == ["shop#6", "shop#1", "shop#4", "shop#2", "shop#5"]
    assert document["levels"] == [["shop#2", "shop#1", "shop#6"], ["shop#4"], ["shop#5"]]
    assert document["critical_path"] == ["shop#1", "shop#4", "shop#5"]


def test_what_is_skipped_or_parked_and_why(desk: Desk) -> None:
    """RUN-19, RUN-20: finished issues are skipped, unmet dependencies park, and so do those behind them."""
    _issue(desk, "4", depends_on="[2]")
    _issue(desk, "5", depends_on="[4]")
    assert desk.weft("run", "1", "--quiet").code == 0
    document = json.loads(desk.weft("run", "1", "3", "4", "5", "--dry-run", "--json").out)
    assert {job["issue"]: job["status"] for job in document["jobs"]} == {
        "1": "skipped",
        "3": "to_run",
        "4": "parked",
        "5": "parked",
    }
    reasons = {job["issue"]: job["reason"] for job in document["jobs"]}
    assert reasons["1"].startswith("finished before in run")
    assert "#2" in reasons["4"]
    assert "shop#4" in reasons["5"]
    assert document["order"] == ["shop#3"]


def test_limits_and_estimates(desk: Desk) -> None:
    """RUN-19: cap, phases with agent and time limits, gates with their commands; time from history."""
    desk.shop.repo.write("weft.toml", _with_gate(desk))
    assert desk.weft("run", "1", "--quiet").code == 0
    document = json.loads(desk.weft("run", "2", "--dry-run", "--json").out)
    [phase] = document["limits"]["phases"]
    assert (phase["name"], phase["agent"], phase["timeout_seconds"]) == ("exec", "mine", 1800.0)
    assert document["limits"]["gates"] == [
        {"repo": "shop", "name": "test", "command": "true", "timeout_seconds": 1200.0}
    ]
    assert document["estimate"]["work_seconds"] > 0
    assert document["estimate"]["cost_usd"] is None
    assert "cost unknown" in desk.weft("run", "2", "--dry-run").out


def test_it_warns_of_interrupted_runs(desk: Desk) -> None:
    """RUN-19, RECOVER-1: a dead run in the repo is named, and stays as it is."""
    desk.shop.kill_in_the_middle("1", held=("1",))
    [dead] = desk.runs()
    answer = desk.weft("run", "1", "--dry-run", "--json")
    assert f"run {dead} in this repo was interrupted" in answer.err
    assert json.loads(answer.out)["interrupted_runs"] == [dead]
    assert json.loads(desk.weft("status", "--json").out)["runs"][0]["status"] == "interrupted"
    assert desk.weft("recover").code == 0


def _issue(desk: Desk, ident: str, **keys: str) -> None:
    front = "".join(f"{key}: {value}\n" for key, value in keys.items())
    desk.shop.repo.write(f"issues/{ident}-title.md", f"---\ntitle: Title {ident}\n{front}---\nDo it.\n")


def _with_gate(desk: Desk) -> str:
    return (desk.shop.repo.path / "weft.toml").read_text().replace('test = ""', 'test = "true"')
