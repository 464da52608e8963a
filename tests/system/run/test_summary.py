"""What stands on stdout at the end, and the exit code (RUN-15, RUN-16), and each job's log (RUN-17)."""

from __future__ import annotations

import json
import re

import pytest
from tests.support.shop import Shop


def test_header_and_rows(shop: Shop) -> None:
    """RUN-15: the header counts, a row per issue tells status, phases, branch, duration and why; kept work is named."""
    shop.settings('phases = ["spec", "exec"]')
    shop.issues(*"1234")
    shop.issue("5", front="depends_on: [2]")
    shop.does("exec-2", "echo half > half.txt; echo 'no such API'; exit 1")
    shop.does("exec-3", "true")
    assert shop.run("4").code == 0
    answer = shop.weft("run", *"12345")
    assert answer.code == 1
    lines = [re.sub(r"(\d+m )?\d+s\b", "0s", line) for line in answer.out.splitlines()]
    assert lines[0] == "SUMMARY · 5 issues · 0s · 1 passed · 1 failed · 1 parked · 1 no change · 1 skipped"
    assert lines[1] == "#1 ✔ passed     spec → exec · weft/1-thing-1 · 0s · $?"
    rows = {line.split()[0]: line for line in lines if line.startswith("#")}
    assert rows["#2"].startswith("#2 ✗ failed     spec → exec ✗ · weft/2-thing-2 · 0s · ")
    assert rows["#2"].endswith("Phase exec failed: no such API")
    assert rows["#3"].startswith("#3 – no change  spec → exec")
    assert rows["#4"].startswith("#4 – skipped")
    assert rows["#5"].startswith("#5 ⚠ parked")
    assert "shop#2" in rows["#5"]
    kept = [line.strip() for line in lines if "workspace kept" in line or "saved:" in line]
    assert f"workspace kept: {shop.state}/worktrees/" in kept[0]
    assert kept[1].startswith("saved: refs/weft/saved/shop.2/")


def test_cost(shop: Shop) -> None:
    """RUN-15: what agents report as spent is summed up and shown."""
    shop.settings(more='output = "jsonl"')
    shop.issues("1")
    usage = '{"type":"usage","input_tokens":1200,"output_tokens":300,"cost_usd":0.25}'
    shop.does("exec", f"echo '{usage}'; echo '{usage}'; echo x > 1.txt")
    answer = shop.weft("run", "1")
    assert answer.code == 0
    assert re.search(r"#1 ✔ passed  exec · weft/1-thing-1 · \d+s · \$0\.\d\d", answer.out)


@pytest.mark.parametrize(
    ("script", "status", "code"),
    [("echo x > 1.txt", "passed", 0), ("exit 1", "failed", 1), ("true", "no_change", 1)],
)
def test_exit_codes(shop: Shop, script: str, status: str, code: int) -> None:
    """RUN-16: 0 when all succeeded, 1 when work failed; no change is a failure of `weft run`."""
    shop.issues("1")
    shop.does("exec", script)
    answer = shop.run("1")
    assert (answer.code, answer.document["exit_code"], answer.statuses["1"]) == (code, code, status)


def test_nothing_to_do(shop: Shop) -> None:
    """RUN-16: when all was finished before, that is a success."""
    shop.issues("1", "2")
    assert shop.run("1", "2").code == 0
    again = shop.run("1", "2")
    assert (again.code, again.statuses) == (0, {"1": "skipped", "2": "skipped"})


def test_logs_are_each_jobs_own(shop: Shop) -> None:
    """RUN-17: with many at once no entry of one job is filed under another."""
    idents = shop.issues(*map(str, range(1, 9)))
    shop.does("exec", 'echo "said by $id"; [ "$id" = 3 ] && exit 1; echo x > "$id.txt"')
    run = shop.run(*idents, "--concurrency", "8").document["run"]
    everything = [json.loads(line) for line in shop.weft("logs", run, "--json").out.splitlines()]
    assert everything[0]["type"] == "run_started"
    assert everything[-1]["type"] == "run_ended"
    for ident in idents:
        own = [json.loads(line) for line in shop.weft("logs", run, ident, "--json").out.splitlines()]
        assert {entry["job"] for entry in own} == {f"shop#{ident}"}
        assert own == [entry for entry in everything if entry["job"] == f"shop#{ident}"]
        assert shop.transcript(ident, "exec") == f"said by {ident}\n"
