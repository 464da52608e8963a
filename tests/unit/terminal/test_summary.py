"""The summary at a run's end."""

from __future__ import annotations

from tests.unit.board.events_builder import RUN, Tale, key

from weft.board.board import fold
from weft.model.job import JobStatus
from weft.model.outcome import PhaseStatus
from weft.model.plan import Mode
from weft.terminal.glyphs import ASCII
from weft.terminal.summary import header, summary


def test_the_row_of_a_pull_request() -> None:
    """RUN-15: the row, to the letter."""
    tale = Tale("#608").admit("#608").phase("#608", "spec", 100, 0.1).phase("#608", "exec", 100, 0.11)
    view = fold(RUN, tale.phase("#608", "qa", 42, 0.1).close("#608").end("#608").over())
    view.jobs[key("#608")].pull_request = 623
    assert summary(view).splitlines()[1] == "#608 ✔ passed  spec → exec → qa · PR #623 · 4m 2s · $0.31"


def test_the_header() -> None:
    """RUN-15: `SUMMARY · 3 issues · 8m 12s · 2 passed · 1 locked`."""
    tale = Tale("#1", "#2", "#3").whole("#1", 82).whole("#2", 82).end("#3", JobStatus.LOCKED, "held by pid 1")
    view = fold(RUN, tale.over())
    assert header(view) == "SUMMARY · 3 issues · 8m 12s · 2 passed · 1 locked"
    assert header(fold(RUN, Tale("#1").over())) == "SUMMARY · 1 issue · 0s · 1 unfinished"
    assert header(fold(RUN, Tale("#1", mode=Mode.TASKS).events)).startswith("SUMMARY · 1 task ·")


def test_columns_reasons_and_what_was_kept() -> None:
    """RUN-14, RUN-15: aligned rows with the reason; kept workspaces and saved refs below; what to look at next."""
    tale = Tale("#9", "#10", "#11", "#12", "#13").whole("#9").failing("#10")
    tale.admit("#11").begin("#11", "spec").wait(5).finish("#11", "spec", PhaseStatus.CANCELLED)
    tale.close("#11", "/ws/11", ("refs/weft/saved/r-1/11",)).end("#11", JobStatus.CANCELLED, "interrupted")
    tale.end("#12", JobStatus.NOT_RUN, "interrupted before it started")
    tale.end("#13", JobStatus.LOCKED, "locked by PID 7 (weft run 13)")
    assert summary(fold(RUN, tale.over(2))).splitlines() == [
        "SUMMARY · 5 issues · 4m 50s · 1 passed · 1 failed · 1 locked · 1 not run · 1 cancelled",
        "#9  ✔ passed     spec → exec → qa · weft/9-title · 3m 0s · $0.30",
        "#10 ✗ failed     spec → exec ✗ · weft/10-title · 1m 45s · $0.20 · Phase exec failed: it broke",
        "    workspace kept: /ws/10",
        "#11 – cancelled  spec ✗ · weft/11-title · 5s · interrupted",
        "    workspace kept: /ws/11",
        "    saved: refs/weft/saved/r-1/11",
        "#12 – not run    interrupted before it started",
        "#13 ⚠ locked by PID 7 (weft run 13)",
        "next: weft diff shop#9",
        "next: weft logs r-1 shop#10",
    ]


def test_attempts_and_unknown_costs_show() -> None:
    """RUN-15: a phase done twice says so; a cost that nobody told is not nothing."""
    tale = Tale("#1").admit("#1").phase("#1", "spec", cost=None).phase("#1", "exec")
    tale.begin("#1", "qa").finish("#1", "qa", PhaseStatus.FAILED).phase("#1", "exec").phase("#1", "qa")
    row = summary(fold(RUN, tale.close("#1").end("#1").over())).splitlines()[1]
    assert row == "#1 ✔ passed  spec → exec ×2 → qa ×2 · weft/1-title · 4m 0s · $?"


def test_an_interrupted_run_points_to_recovery() -> None:
    """RECOVER-1: the summary of what a crash left names the command that goes on."""
    view = fold(RUN, Tale("#1").admit("#1").begin("#1", "spec").events, alive=False)
    assert summary(view).splitlines()[1:] == [
        "#1 ⏳ interrupted  spec … · weft/1-title · 0s",
        "   workspace: /ws/1",
        "next: weft recover",
    ]


def test_without_unicode() -> None:
    """Readable on any stream."""
    text = summary(fold(RUN, Tale("#1").whole("#1").over()), ASCII)
    assert text.isascii()
    assert "#1 ok passed  spec -> exec -> qa - weft/1-title - 3m 0s - $0.30" in text


def test_what_to_type_next_is_one_word() -> None:
    """A repo's folder may be called anything: what the summary says to type can be pasted."""
    lines = summary(fold(RUN, Tale("my shop#1").whole("my shop#1").over())).splitlines()
    assert lines[-1] == "next: weft diff 'my shop#1'"
