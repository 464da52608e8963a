"""What `weft status`, `report`, `stats` and `logs` print."""

from __future__ import annotations

import json

import msgspec
from tests.unit.board.events_builder import RUN, Tale, key

from weft.board.board import fold
from weft.board.markdown import markdown
from weft.board.report_markdown import report_markdown
from weft.board.stats import gather
from weft.board.views import RunView
from weft.model.events import GovernorCapSet, PauseSet
from weft.model.ids import RunId
from weft.model.job import JobStatus
from weft.model.outcome import PhaseStatus
from weft.terminal.columns import columns
from weft.terminal.logs import event_line, log_line
from weft.terminal.report import report_text
from weft.terminal.statistics import stats_text
from weft.terminal.status import status_text


def named(view: RunView, run: str) -> RunView:
    view.run = RunId(run)
    return view


def test_status_starts_with_what_needs_a_person() -> None:
    """UI-4: parked and failed work first, then what runs, then what ran."""
    ended = fold(RUN, Tale("#1", "#2").failing("#1").end("#2", JobStatus.PARKED, "needs an answer").over())
    tale = Tale("#3", "#4").admit("#3").begin("#3", "exec").wait(63)
    tale.add(GovernorCapSet(at=tale.now, cap=1, why="memory low"), PauseSet(at=tale.now, paused=True))
    under_way = named(fold(RUN, tale.events), "r-2")
    levers = "cap 1 (governor: memory low, asked for 3) · paused · 1 in flight · 1 waiting"
    assert status_text([under_way, ended]).splitlines() == [
        "NEEDS YOU",
        "  shop#1 failed: Phase exec failed: it broke",
        "    workspace kept: /ws/1",
        '    hint: `weft logs r-1 shop#1`, `weft answer shop#1 "…"`, `weft run 1`',
        "  shop#2 parked: needs an answer",
        '    hint: `weft logs r-1 shop#2`, `weft answer shop#2 "…"`, `weft run 2`',
        "",
        "UNDER WAY",
        f"  r-2 · parallel · 0 of 2 done · {levers} · 1m 3s",
        "    #3  Title 3  exec · claude (opus) · attempt 1 · 1m 3s",
        "",
        "RECENT",
        "  r-1  failed  2026-02-02 02:40  1m 45s  1 failed · 1 parked",
    ]


def test_status_names_every_saved_ref() -> None:
    """Principle 2: saved work is named even when its job passed in the end, or a newer run took it up."""
    old = fold(
        RUN, Tale("#1").admit("#1").close("#1", "/ws/1", ("refs/weft/saved/a",)).end("#1", JobStatus.FAILED).over()
    )
    new = named(fold(RUN, Tale("#1").whole("#1").close("#1", None, ("refs/weft/saved/b",)).over()), "r-2")
    text = status_text([new, old])
    assert "NEEDS YOU" not in text
    assert "  shop#1  r-2  refs/weft/saved/b\n  shop#1  r-1  refs/weft/saved/a\n" in text


def test_status_of_a_dead_run() -> None:
    """RECOVER-1: a run without a process is told apart from one under way, with the command that mends it."""
    text = status_text([fold(RUN, Tale("#1", "#2").admit("#1").events, alive=False)])
    assert "r-1 was interrupted, 2 of 2 jobs unfinished" in text
    assert "`weft recover`" in text
    assert "UNDER WAY" not in text


def test_status_of_nothing() -> None:
    """A first look says how to begin."""
    assert status_text([]).startswith("No runs yet\nhint: ")


def test_many_jobs_are_trimmed() -> None:
    """A status fits a screen however large the run."""
    names = [f"#{number}" for number in range(100)]
    tale = Tale(*names)
    for name in names:
        tale.admit(name).begin(name, "spec")
    text = status_text([fold(RUN, tale.events)])
    assert "… and 80 more" in text
    assert len(text.splitlines()) < 30


def test_a_job_between_attempts_says_what_it_waits_for() -> None:
    """RUN-9: a wait for a retry is not shown as work."""
    tale = Tale("#1").admit("#1").begin("#1", "spec").finish("#1", "spec", PhaseStatus.RETRYING, "429", 9e9)
    view = fold(RUN, tale.events)
    view.running[key("#1")] = view.jobs[key("#1")]
    assert "spec · waits for its retry: 429" in status_text([view])


def test_a_report_tells_every_attempt() -> None:
    """`weft report`: attempts in the order they began, with agent, gates and reason."""
    tale = Tale("#1").admit("#1").phase("#1", "exec", 10).begin("#1", "qa").wait(5).gates("#1", passed=False)
    tale.finish("#1", "qa", PhaseStatus.FAILED, "gate test failed").phase("#1", "exec", 20)
    text = report_text(fold(RUN, tale.close("#1").end("#1").over()))
    assert text.split("\n\n")[-1].splitlines() == [
        "#1 Title 1: passed",
        "  exec  attempt 1  passed  10s  claude opus",
        "  qa    attempt 1  failed  5s   claude opus  test failed (1)  gate test failed",
        "  exec  attempt 2  passed  20s  claude opus",
    ]


def test_a_markdown_report_cannot_be_broken_from_inside() -> None:
    """Titles and reasons are data: they make no table cell, link or tag."""
    view = fold(RUN, Tale("#1").admit("#1").end("#1", JobStatus.FAILED, "a|b <script> [x](y)\nnext").over())
    row = next(line for line in report_markdown(view).splitlines() if line.startswith("| #1"))
    assert row.endswith(r"| a\|b &lt;script> \[x\](y) next |")
    assert markdown("`*_") == r"\`\*\_"


def test_stats_as_text() -> None:
    """RUN-18: rates with n, transient failures, durations, and costs that are unknown apart."""
    text = stats_text(gather([fold(RUN, Tale("#1", "#2").whole("#1", cost=None).failing("#2").over())]))
    assert text.startswith("1 run · 2 jobs begun · $0.20 over 1 job (and 1 job of unknown cost)\n")
    assert "  parallel  50%   n=2\n" in text
    assert "  exec   50%   n=2  0\n" in text
    assert stats_text(gather([])) == "No jobs were run in this time\n"


def test_logs() -> None:
    """RUN-17: time, job, text; one event, one line, whatever it holds."""
    tale = Tale("#1").end("#1", JobStatus.FAILED, "a\nb", "\x1b[31mc")
    assert [log_line(event) for event in tale.events] == [
        "2026-02-02T02:40:00.000Z - run started: parallel, 1 jobs, cap 3",
        "2026-02-02T02:40:00.000Z shop#1 ended: failed: a b: c",
    ]
    line = event_line(RUN, tale.events[1], 2)
    assert "\n" not in line
    assert json.loads(line)["reason"] == "a\nb"
    assert list(msgspec.json.decode(line))[:5] == ["run", "seq", "type", "at", "job"]


def test_columns_align_wide_characters() -> None:
    """Columns are measured as the terminal shows them."""
    assert columns([["日本", "x"], ["a"], ["bcd", "y"]]) == ["日本  x", "a", "bcd   y"]
