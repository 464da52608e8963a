"""`weft report` and `weft stats`."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from tests.system.cli.conftest import Weft
from tests.system.cli.runs import Written, key, plan, write


@pytest.fixture
def ended(state: Path, folder: Path) -> None:
    write(state, Written("r-a", plan("1", "2", path=folder)).passes(key("1")).fails(key("2"), "/ws/2").over())


def test_text_has_the_summary_and_every_attempt(weft: Weft, ended: None) -> None:
    """RUN-15: the report holds the summary and, per job, each attempt."""
    out = weft("report").out
    assert "SUMMARY · 2 issues · 1m 5s · 1 passed · 1 failed" in out
    assert "#2 Title 2: failed" in out
    assert "exec  attempt 1  failed  5s" in out


def test_json_is_what_the_run_printed(weft: Weft, ended: None) -> None:
    """`weft report RUN --json` has the shape of `weft run --json`, to the letter."""
    document = json.loads(weft("report", "r-a", "--json").out)
    assert list(document) == [
        "run",
        "mode",
        "status",
        "started_at",
        "ended_at",
        "duration_seconds",
        "exit_code",
        "jobs",
    ]
    assert (document["status"], document["exit_code"]) == ("failed", 1)
    first = document["jobs"][0]
    assert (first["key"], first["issue"], first["status"], first["branch"]) == ("shop#1", "1", "passed", "weft/1-title")
    assert first["phases"] == [{"name": "exec", "status": "passed", "attempts": 1, "duration_seconds": 60.0}]


def test_markdown(weft: Weft, ended: None) -> None:
    """`--markdown` gives tables."""
    out = weft("report", "--markdown").out
    assert out.startswith("# Run r-a\n")
    assert "| #1 | Title 1 | passed |" in out
    assert weft("report", "--markdown", "--json").code == 2


def test_stats_count_what_was_tried(weft: Weft, ended: None) -> None:
    """RUN-18: success rates with n by mode, phase and backend; cost that is unknown stays unknown."""
    document = json.loads(weft("stats", "--json").out)
    assert document["success"]["mode"] == {"parallel": {"n": 2, "succeeded": 1, "rate": 0.5}}
    assert document["success"]["phase"]["exec"]["n"] == 2
    assert document["success"]["backend"]["mine"]["succeeded"] == 1
    assert document["cost"] == {"usd": 0.25, "jobs_known": 1, "jobs_unknown": 1}
    assert "50%" in weft("stats").out


def test_stats_over_a_time(weft: Weft, state: Path, folder: Path, ended: None) -> None:
    """RUN-18: `--since` leaves older runs out."""
    write(state, Written("r-new", plan("1", path=folder), time.time() - 3600).passes(key("1"), 0).over())
    assert json.loads(weft("stats", "--json").out)["runs"] == 2
    assert json.loads(weft("stats", "--since", "2h", "--json").out)["runs"] == 1
    assert json.loads(weft("stats", "--since", "10m", "--json").out)["runs"] == 0


@pytest.mark.parametrize("value", ["7", "abc", "-1d", "7days", ""])
def test_a_bad_duration_is_refused(weft: Weft, value: str) -> None:
    """What is not a duration is exit 2, naming the flag and the value."""
    answer = weft("stats", f"--since={value}")
    assert answer.code == 2
    assert answer.err.startswith(f"error: Invalid --since value: {value}. Must be a duration")


def test_stats_of_nothing(weft: Weft) -> None:
    """Without runs there is nothing to count, and that is no error."""
    assert (weft("stats").code, weft("stats").out) == (0, "No jobs were run in this time\n")


@pytest.mark.parametrize(
    ("words", "beginning"),
    [
        (("--html", "--output", "kept"), "<!doctype html>"),
        (("--output", "kept.html"), "<!doctype html>"),
        (("--output", "kept.md"), "# Run r-a"),
        (("--output", "kept.json"), "{"),
        (("--json", "--output", "kept.md"), "{"),
        (("--output", "kept.txt"), "run: r-a"),
        (("--cost", "--output", "kept.json"), "{"),
    ],
)
def test_every_form_can_be_written_to_a_file(
    weft: Weft, ended: None, folder: Path, words: tuple[str, ...], beginning: str
) -> None:
    """UI-3: a flag says the form, else the file's name; nothing goes to stdout."""
    answer = weft("report", *words)
    assert (answer.code, answer.out) == (0, "")
    assert (folder / words[-1]).read_text().startswith(beginning)


def test_forms_exclude_each_other(weft: Weft, ended: None) -> None:
    """Exit 2 names the flags; a file that cannot be written is said."""
    assert "--markdown and --html exclude each other" in weft("report", "--html", "--markdown").err
    assert "--cost has no --html" in weft("report", "--cost", "--html").err
    answer = weft("report", "--html", "--output", "no/such/folder.html")
    assert (answer.code, "`no/such/folder.html` cannot be written" in answer.err) == (2, True)
