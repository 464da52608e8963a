"""The merge queue in the lines, the summary, `weft status` and the live board."""

from __future__ import annotations

import io

from rich.console import Console
from tests.unit.board.events_builder import RUN, key
from tests.unit.board.merge_tale import TARGET, MergeTale

from weft.board.board import fold
from weft.model.events import QueueHoldSet, TargetRead
from weft.model.job import JobStatus
from weft.terminal.glyphs import UNICODE
from weft.terminal.live import render_board
from weft.terminal.merge_summary import queued_text
from weft.terminal.reporter import Reporter
from weft.terminal.screen import Screen
from weft.terminal.status import status_text
from weft.terminal.summary import summary


def lines(tale: MergeTale) -> list[str]:
    """What is shown of merging."""
    stream = io.StringIO()
    reporter = Reporter(RUN, Screen(stream, tty=False, color=False))
    for event in tale.events:
        reporter.show(event)
    shown = stream.getvalue().splitlines()
    return [line for line in shown if "merge" in line or "⚠" in line or "hint" in line or "completed" in line]


def test_a_landing() -> None:
    """RUN-10: queued, started, done, in the style of phase lines; then the job is completed."""
    tale = MergeTale("#1", "#2").queued("#1").queued("#2", 1).made("#1").made("#2").gated("#1").landed("#1")
    assert lines(tale) == [
        "● #1: merge queued",
        "● #2: merge queued (1 ahead)",
        "● #1: merge started",
        "● #2: merge started",
        "● #1: merge ✓ (3s)",
        "✓ Issue #1 completed (23s)",
    ]


def test_a_rebuild_is_not_started_again() -> None:
    """MERGE-3: what the queue takes back and builds anew is one merge to the user."""
    tale = MergeTale("#1").queued("#1").made("#1").made("#1").gated("#1").landed("#1")
    assert lines(tale).count("● #1: merge started") == 1


def test_a_conflict() -> None:
    """MERGE-4: what it is, and which repair of how many; the last time a person is needed."""
    tale = MergeTale("#1").queued("#1").made("#1", conflict="a.py").sent_back("#1", 1).queued("#1").sent_back("#1", 0)
    said = f"● #1: merge ✗ conflict with {TARGET} in a.py; "
    failed = [line for line in lines(tale) if "✗" in line]
    assert failed == [f"{said}back to its author (repair 1 of 2)", f"{said}needs a person"]


def test_a_red_target_and_a_hold() -> None:
    """MERGE-5, MERGE-6: told with what to do about it."""
    tale = MergeTale("#1").queued("#1").made("#1").gated("#1", passed=False, flaky=("lint",)).target_red("#1")
    tale.add(QueueHoldSet(at=tale.now, repo="shop", held=False))
    tale.add(TargetRead(at=tale.now, repo="shop", problem="it is checked out"))
    assert lines(tale)[2:] == [
        "⚠ #1: gate lint is flaky: it failed, then passed on the same tree",
        f"⚠ target {TARGET} is red: gate test failed; the queue holds, nobody is blamed",
        f"    hint: mend {TARGET}, then `weft queue release shop`",
        "merge queue of shop released",
        "⚠ merge queue of shop holds: it is checked out",
    ]


def test_the_summary() -> None:
    """RUN-15: the row names the target; then flaky gates, and how to look at what landed."""
    tale = MergeTale("#1", "#2").queued("#1").made("#1").gated("#1", flaky=("test",)).landed("#1")
    tale.queued("#2").made("#2", conflict="a.py").sent_back("#2", 0)
    view = fold(RUN, tale.close("#2").end("#2", JobStatus.PARKED, "conflict").over())
    assert summary(view).splitlines()[1:] == [
        f"#1 ✔ passed  exec → merge · weft/1-title → {TARGET} · 13s · $0.10",
        "#2 ⚠ parked  exec → merge ✗ · weft/2-title · 10s · $0.10 · conflict",
        "⚠ flaky gates, failed and then passed on the same tree: test (#1)",
        f"next: git diff bbbbbbbbbbbb...{TARGET}",
        "next: weft logs r-1 shop#2",
    ]


def test_each_repo_has_its_own_hint() -> None:
    """Over several repos the command says where it is to be run."""
    tale = MergeTale("api#1", "web#1")
    for name in ("api#1", "web#1"):
        tale.queued(name).made(name).gated(name).landed(name)
    hints = summary(fold(RUN, tale.over())).splitlines()[3:]
    assert hints == [f"next: git -C /code/{repo} diff bbbbbbbbbbbb...{TARGET}" for repo in ("api", "web")]


def test_status_shows_the_queue() -> None:
    """What needs a person and flaky gates come first; queued jobs are listed with the run."""
    tale = MergeTale("#1", "#2").queued("#1").queued("#2", 1).made("#1").gated("#1", passed=False, flaky=("lint",))
    text = status_text([fold(RUN, tale.target_red("#1").events)])
    assert text.startswith(f"NEEDS YOU\n  {TARGET}: target is red: gate test failed on {TARGET} itself, at tip\n")
    assert "    hint: mend it, `weft queue release shop`\n\nFLAKY GATES\n  lint  in r-1  #1\n" in text
    assert "0 in flight · 2 queued to merge · 0 waiting" in text
    assert f"#2  Title 2  merge into {TARGET} · holds: target is red: gate test failed" in text


def test_where_a_queued_job_stands() -> None:
    """The live board says what it waits for, who is ahead, and for how long."""
    tale = MergeTale("#1", "#2").queued("#1").queued("#2", 1).made("#1").made("#2")
    tale.wait(5)
    view = fold(RUN, tale.gated("#1").events)
    first, second = view.jobs[key("#1")], view.jobs[key("#2")]
    assert queued_text(view, first, UNICODE) == f"merge into {TARGET} · green, lands next · 18s"
    assert queued_text(view, second, UNICODE) == f"merge into {TARGET} · gates run on the merged tree · 1 ahead · 8s"
    console = Console(file=io.StringIO(), width=160, color_system=None)
    with console.capture() as shown:
        console.print(render_board([view], tale.now, 20))
    assert f"queued  spec exec✓ qa merge●  merge into {TARGET} · green, lands next" in shown.get()
