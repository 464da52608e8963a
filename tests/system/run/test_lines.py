"""What is seen of a run while it goes: on a pipe, on a terminal, under load, as JSON (RUN-10 to RUN-13)."""

from __future__ import annotations

import json
import re
import sys

import pytest
from tests.support.shop import Shop
from tests.support.terminal import Terminal, screen_lines

TIME = re.compile(r"\((\d+m )?\d+s\)")


def timeless(lines: list[str]) -> list[str]:
    return [TIME.sub("(0s)", line) for line in lines]


def one_after_the_other(shop: Shop) -> None:
    """Two at once that take turns, so that the order of lines is known: 2 fails, then 1 goes on and passes."""
    shop.settings('phases = ["spec", "exec"]')
    shop.issues("1", "2")
    shop.does("spec-1", "hold spec-1")
    shop.does("spec-2", "hold spec-2")
    shop.does("exec-2", "exit 1")


EXPECTED = [
    "● #2: spec ✓ (0s)",
    "● #2: exec started",
    "● #2: exec ✗",
    "✗ Issue #2 failed (0s): Phase exec failed",
    "Progress: #1 ⏳ #2 ✗",
    "● #1: spec ✓ (0s)",
    "● #1: exec started",
    "● #1: exec ✓ (0s)",
    "✓ Issue #1 completed (0s)",
    "Progress: #1 ✓ #2 ✗",
]


def test_on_a_pipe(shop: Shop) -> None:
    """RUN-10, RUN-11: the exact lines, all on stderr; the progress line before the first phase and once per ending."""
    one_after_the_other(shop)
    started = shop.start("run", "1", "2")
    started.until(shop.reached("spec-1", "spec-2"))
    shop.go("spec-2")
    started.until(lambda: "Issue #2 failed" in started.err)
    shop.go("spec-1")
    answer = started.wait()
    lines = timeless(answer.lines)
    assert lines[0] == "Progress: #1 ⏳ #2 ⏳"
    assert sorted(lines[1:3]) == ["● #1: spec started", "● #2: spec started"]
    assert lines[3:] == EXPECTED
    assert answer.out.startswith("SUMMARY · 2 issues · ")
    assert "\x1b" not in answer.err + answer.out


def test_on_a_terminal(shop: Shop) -> None:
    """RUN-11: the same lines scroll, and one progress line stays below them, redrawn in place."""
    one_after_the_other(shop)
    terminal = shop.terminal("run", "1", "2")
    terminal.until_shown("#1: spec started")
    terminal.until_shown("#2: spec started")
    shop.go("spec-2")
    terminal.until_shown("#2 ✗")
    standing = [line for line in screen_lines(terminal.raw) if line]
    assert standing[-1] == "Progress: #1 ⏳ #2 ✗"
    assert sum(line.startswith("Progress") for line in standing) == 1
    shop.go("spec-1")
    assert terminal.wait() == 1
    lines = timeless([line.rstrip() for line in screen_lines(terminal.raw)])
    end = next(at for at, line in enumerate(lines) if line.startswith("SUMMARY"))
    shown = lines[:end]
    assert [line for line in shown if line.startswith("Progress")] == ["Progress: #1 ✓ #2 ✗"]
    scrolled = [line for line in EXPECTED if not line.startswith("Progress")]
    assert [line for line in shown if line in scrolled] == scrolled


def test_no_colour(shop: Shop) -> None:
    """NO_COLOR is respected on a terminal: no sequence but those that move the cursor."""
    shop.issues("1")
    terminal = Terminal(
        [sys.executable, "-m", "weft", "run", "1"], shop.repo.path, shop.environment | {"NO_COLOR": "1"}
    )
    assert terminal.wait() == 0
    assert not re.search(r"\x1b\[[0-9;]*m", terminal.raw)


def test_an_ascii_locale(shop: Shop) -> None:
    """Where stderr cannot show the signs, plain ones stand for them, and nothing breaks."""
    shop.issues("1")
    answer = shop.weft("run", "1", PYTHONIOENCODING="ascii")
    assert answer.code == 0
    assert "* #1: exec started" in answer.err


def test_no_line_is_torn(shop: Shop) -> None:
    """RUN-13: twenty agents that flood, streamed with `--verbose`: each line whole, its own job's, none lost."""
    idents = shop.issues(*map(str, range(1, 21)))
    flood = 'i=0; while [ $i -lt 300 ]; do echo "line $i of $id xxxxxxxxxxxxxxxxxxxxxxxx end"; i=$((i+1)); done'
    shop.does("exec", f'{flood}; echo x > "$id.txt"')
    answer = shop.weft("run", *idents, "--verbose", "--concurrency", "20")
    assert answer.code == 0
    whole = re.compile(r"#(\d+) \| line (\d+) of (\d+) x{24} end")
    streamed = [whole.fullmatch(line) for line in answer.lines if " | " in line]
    assert all(streamed)
    seen = [(found[1], found[3], int(found[2])) for found in streamed if found]
    assert all(label == owner for label, owner, _ in seen)
    for ident in idents:
        assert [number for label, _, number in seen if label == ident] == list(range(300))
    others = timeless([line for line in answer.lines if " | " not in line])
    kinds = re.compile(r"Progress: .*|● #\d+: exec (started|✓ \(0s\))|✓ Issue #\d+ completed \(0s\)")
    assert [line for line in others if not kinds.fullmatch(line)] == []


def test_agents_are_not_on_the_terminal(shop: Shop) -> None:
    """RUN-13: what an agent prints is in its transcript and nowhere else, control sequences and all."""
    shop.issues("1")
    shop.does("exec", "printf 'NOISE\\033[2J\\n'; echo NOISE >&2; echo x > 1.txt")
    answer = shop.weft("run", "1")
    assert "NOISE" not in answer.err + answer.out
    shown = shop.weft("run", "1", "--force", "--verbose")
    assert "#1 | NOISE" in shown.lines
    assert "\x1b" not in shown.err


def test_quiet(shop: Shop) -> None:
    """RUN-13: `--quiet` prints the summary alone."""
    shop.issues("1")
    answer = shop.weft("run", "1", "--quiet")
    assert answer.err == ""
    assert answer.out.startswith("SUMMARY · 1 issue · ")


def test_json(shop: Shop) -> None:
    """RUN-13: `--json` is one document with the fixed keys, and no line beside it."""
    shop.settings("", test="true")
    shop.issues("1")
    shop.does("exec-2", "exit 1")
    answer = shop.run("1")
    assert answer.err == ""
    document = answer.document
    assert list(document) == [
        *("run", "mode", "status", "started_at", "ended_at", "duration_seconds", "exit_code", "jobs"),
    ]
    assert (document["mode"], document["status"], document["exit_code"]) == ("single", "passed", 0)
    (job,) = document["jobs"]
    assert list(job) == [
        *("key", "issue", "title", "status", "reason", "phases", "branch", "commit", "merged", "pull_request"),
        *("duration_seconds", "usage"),
    ]
    assert (job["reason"], job["merged"], job["pull_request"]) == (None, False, None)
    assert job["usage"] == {
        "input_tokens": 0,
        "output_tokens": 0,
        "cached_tokens": 0,
        "cost_usd": None,
        "sessions": 3,
    }
    report = json.loads(shop.weft("report", document["run"], "--json").out)
    assert report == document


def test_json_stream(shop: Shop) -> None:
    """RUN-13: `--json-stream` is one event per line as it happens: the first is there while the agent still works."""
    shop.issues("1")
    shop.does("exec", "hold 1; echo x > 1.txt")
    started = shop.start("run", "1", "--json-stream")
    started.until(shop.reached("1"))
    started.until(lambda: "attempt_started" in started.out)
    assert "session_ended" not in started.out
    shop.go("1")
    answer = started.wait()
    events = [json.loads(line) for line in answer.out.splitlines()]
    assert [event["type"] for event in events] == [
        *(
            "run_started",
            "lock_taken",
            "job_admitted",
            "workspace_ready",
            "attempt_started",
            "session_ended",
            "phase_ended",
        ),
        *("workspace_closed", "job_ended", "run_ended"),
    ]
    assert {event["run"] for event in events} == set(shop.runs())
    assert answer.err == ""


@pytest.mark.parametrize("flags", [("--quiet", "--json"), ("--verbose", "--json"), ("--board", "--json-stream")])
def test_ways_to_show_that_exclude_each_other(shop: Shop, flags: tuple[str, ...]) -> None:
    """RUN-13: exit 2 rather than one of them silently."""
    shop.issues("1")
    answer = shop.weft("run", "1", *flags)
    assert answer.code == 2
    assert "exclude each other" in answer.lines[0]


def test_the_board(shop: Shop) -> None:
    """RUN-11: `--board` shows a live board on a terminal, and the summary at the end."""
    shop.issues("1")
    terminal = shop.terminal("run", "1", "--board")
    assert terminal.wait() == 0
    assert "Thing 1" in terminal.raw
    assert "SUMMARY · 1 issue" in terminal.raw


def test_the_board_elsewhere(shop: Shop) -> None:
    """RUN-11: where stderr is no terminal the board stands there once, in whole lines."""
    shop.issues("1")
    answer = shop.weft("run", "1", "--board")
    assert answer.code == 0
    assert "Thing 1" in answer.err
    assert answer.err.endswith("\n")
    assert "\x1b" not in answer.err


def test_a_reader_that_goes_away(shop: Shop) -> None:
    """Stderr that nobody reads any more does not end the run."""
    shop.issues("1")
    command = f"({sys.executable} -m weft run 1 --json 2>&1 >{shop.root}/json; echo $? >{shop.root}/code) | true"
    terminal = Terminal(["/bin/sh", "-c", command], shop.repo.path, shop.environment)
    assert terminal.wait() == 0
    assert (shop.root / "code").read_text() == "0\n"
    assert json.loads((shop.root / "json").read_text())["status"] == "passed"
