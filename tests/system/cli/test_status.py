"""`weft status` from the journal alone."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.system.cli.conftest import Weft
from tests.system.cli.runs import START, Written, key, plan, under_way, write


def test_says_so_when_there_is_no_database(weft: Weft, state: Path) -> None:
    """With no database at all it says so, exits 0 and makes none."""
    answer = weft("status")
    assert (answer.code, answer.out.splitlines()[0]) == (0, "No runs yet")
    assert not state.exists()
    assert json.loads(weft("status", "--json").out) == {"inbox": [], "runs": []}


def test_what_needs_a_person_comes_first_with_saved_refs_and_the_kept_workspace(
    weft: Weft, state: Path, folder: Path
) -> None:
    """UI-4: what needs a person is on top; saved refs are named."""
    saved = "refs/weft/saved/shop.2/1"
    write(state, Written("r-a", plan("1", "2", path=folder)).passes(key("1")).fails(key("2"), "/ws/2", (saved,)).over())
    lines = weft("status").out.splitlines()
    assert lines[0] == "NEEDS YOU"
    assert "  shop#2 failed: Phase exec failed: it broke" in lines
    assert "    workspace kept: /ws/2" in lines
    assert any(saved in line for line in lines)
    assert lines.index("RECENT") > lines.index("NEEDS YOU")


def test_an_interrupted_run_is_shown_with_the_way_on(weft: Weft, state: Path, folder: Path) -> None:
    """RECOVER-1: a run whose process is gone is called interrupted, with the hint `weft recover`."""
    write(state, Written("r-dead", plan("1", "2", path=folder)).passes(key("1")).begins(key("2")))
    answer = weft("status")
    assert "r-dead was interrupted, 1 of 2 jobs unfinished" in answer.out
    assert "weft recover" in answer.out
    [run] = json.loads(weft("status", "--json").out)["runs"]
    assert (run["status"], run["exit_code"], run["ended_at"]) == ("interrupted", None, None)
    assert [job["status"] for job in run["jobs"]] == ["passed", "interrupted"]


def test_json_has_the_run_and_its_levers(weft: Weft, state: Path, folder: Path) -> None:
    """`weft status --json` is `{"runs": […]}` as `weft run --json` has them, plus cap, paused, in_flight, waiting."""
    with under_way(state, "r-live", plan("1", "2", "3", path=folder, cap=2)):
        [run] = json.loads(weft("status", "--json").out)["runs"]
    assert (run["run"], run["status"], run["mode"]) == ("r-live", "running", "parallel")
    assert (run["cap"], run["paused"], run["in_flight"], run["waiting"]) == (2, False, 2, 1)
    assert [job["key"] for job in run["jobs"]] == ["shop#1", "shop#2", "shop#3"]


def test_a_run_under_way_is_shown_with_its_jobs(weft: Weft, state: Path, folder: Path) -> None:
    """A run that another process has is under way: its cap and what each job is at."""
    with under_way(state, "r-live", plan("1", "2", path=folder, cap=1)):
        out = weft("status").out
    assert "UNDER WAY" in out
    assert "cap 1 · 1 in flight · 1 waiting" in out
    assert "exec · mine · attempt 1" in out


def test_only_recent_runs_unless_all_are_asked_for(weft: Weft, state: Path, folder: Path) -> None:
    """Ten ended runs, and every one that has not ended; `--all` shows them all."""
    old = Written("r-dead", plan("1", path=folder)).begins(key("1"))
    ended = [Written(f"r-{n:02}", plan("1", path=folder), START + n).passes(key("1")).over() for n in range(12)]
    write(state, old, *ended)
    some = [run["run"] for run in json.loads(weft("status", "--json").out)["runs"]]
    assert some == [f"r-{n:02}" for n in range(11, 1, -1)] + ["r-dead"]
    every = json.loads(weft("status", "--all", "--json").out)["runs"]
    assert len(every) == 13
    assert "2 older runs" in weft("status").err


def test_one_run_by_its_id_with_every_job(weft: Weft, state: Path, folder: Path) -> None:
    """`weft status RUN` shows that run and each of its jobs."""
    write(state, *(Written(run, plan("1", "2", path=folder)).passes(key("1")) for run in ("r-a", "r-b")))
    out = weft("status", "r-a").out
    assert "r-b" not in out
    assert "#2 ⏳ waiting" in out


def test_an_unknown_run_is_refused_with_the_known_ones(weft: Weft, state: Path, folder: Path) -> None:
    """An unknown run id is exit 2, naming those there are."""
    write(state, Written("r-abc", plan("1", path=folder)).over())
    for args in (("status", "r-abd"), ("report", "r-abd"), ("logs", "r-abd"), ("why", "1", "--run", "r-abd")):
        answer = weft(*args)
        assert (answer.code, answer.out) == (2, ""), args
        assert answer.err.startswith("error: Unknown run `r-abd`, did you mean `r-abc`?\nhint: known are `r-abc`"), args


@pytest.mark.parametrize("flags", [("--watch", "--json"), ("r-a", "--all")])
def test_flags_that_exclude_each_other(weft: Weft, flags: tuple[str, ...]) -> None:
    """Contradicting flags are exit 2."""
    assert weft("status", *flags).code == 2


def test_watching_needs_a_terminal(weft: Weft) -> None:
    """Without a terminal `--watch` is refused with another way to follow."""
    answer = weft("status", "--watch")
    assert answer.code == 2
    assert "weft logs --follow" in answer.err


def test_watching_shows_the_board_until_the_run_is_over(state: Path, folder: Path, tmp_path: Path) -> None:
    """UI-1: on a terminal the board follows a run of another process; Ctrl-C ends the watching, not the run."""
    with under_way(state, "r-live", plan("1", "2", path=folder, cap=1)):
        seen = _on_terminal(["status", "--watch"], state, folder, until=b"attempt 1")
    assert b"r-live" in seen
    assert b"1 in flight" in seen


def _on_terminal(args: list[str], state: Path, folder: Path, until: bytes) -> bytes:
    """What the command showed on a terminal up to `until`; then Ctrl-C."""
    ours, theirs = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "WEFT_HOME": str(state), "TERM": "xterm", "COLUMNS": "120"}
    process = subprocess.Popen(
        [sys.executable, "-m", "weft", *args], cwd=folder, stdout=theirs, stdin=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    seen = b""
    try:
        while until not in seen:
            seen += os.read(ours, 65536)
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return seen
