"""The live board."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest
from rich.console import Console
from tests.unit.board.events_builder import RUN, Tale

from weft.board.board import fold
from weft.board.views import RunView
from weft.model.events import GovernorCapSet
from weft.model.job import JobStatus
from weft.terminal.live import LiveBoard, choose_jobs, render_board
from weft.terminal.plain import width


def drawn(views: list[RunView], columns: int, rows: int, now: float) -> list[str]:
    console = Console(file=io.StringIO(), width=columns, height=rows, color_system=None, record=True)
    console.print(render_board(views, now, rows))
    return [line.rstrip() for line in console.export_text().splitlines()]


def busy() -> Tale:
    tale = Tale("#1", "#2", "#3").whole("#1").failing("#2").admit("#3").begin("#3", "exec").wait(63)
    return tale.add(GovernorCapSet(at=tale.now, cap=1, why="memory low"))


def test_at_120_columns() -> None:
    """UI-1: jobs, phases, cap and why, cost, elapsed."""
    tale = busy()
    lines = drawn([fold(RUN, tale.events)], 120, 24, tale.now)
    assert lines[0] == "r-1 · parallel · running · 2 of 3 done · 5m 48s · $0.50"
    assert lines[1] == "cap 1 (governor: memory low, asked for 3) · 1 in flight · 0 waiting"
    assert lines[2].split() == ["job", "title", "status", "phases", "now", "time", "cost"]
    assert lines[3].split() == ["#1", "Title", "1", "passed", "spec✓", "exec✓", "qa✓", "3m", "0s", "$0.30"]
    assert "Phase exec failed: it broke" in lines[4]
    assert "exec · claude (opus) · attempt 1 · 1m 3s" in lines[5]


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_it_keeps_its_shape(columns: int) -> None:
    """UI-1: a narrow window cuts cells, never wraps rows; the phases stay whole at 80."""
    tale = busy()
    lines = drawn([fold(RUN, tale.events)], columns, 24, tale.now)
    assert len(lines) == 6
    assert all(width(line) <= columns for line in lines)
    assert columns < 80 or "spec✓ exec✓ qa✓" in lines[3]


@pytest.mark.parametrize("rows", [8, 24, 50])
def test_a_hundred_jobs_fit(rows: int) -> None:
    """UI-1: what does not fit is counted, and what runs or failed is never what is left out first."""
    names = [f"#{number}" for number in range(100)]
    tale = Tale(*names).end("#50", JobStatus.PARKED, "needs you")
    for name in names[:20]:
        tale.end(name)
    tale.admit("#97").begin("#97", "spec")
    lines = drawn([fold(RUN, tale.events)], 80, rows, tale.now)
    assert len(lines) <= rows
    assert lines[-1] == f"… and {100 - (rows - 4)} more"
    assert any(line.startswith("#97") for line in lines)
    assert any(line.startswith("#50") for line in lines)


def test_rows_keep_the_order_of_the_plan() -> None:
    """UI-1: rows do not jump about as jobs change."""
    names = [f"#{number}" for number in range(30)]
    tale = Tale(*names).admit("#29").admit("#3").end("#12", JobStatus.FAILED)
    jobs, left_out = choose_jobs(fold(RUN, tale.events), 4)
    assert [job.key.id for job in jobs] == ["0", "3", "12", "29"]
    assert left_out == 26


def test_several_runs_share_the_screen() -> None:
    """`weft status --watch` shows all that is under way."""
    tale = busy()
    lines = drawn([fold(RUN, tale.events)] * 3, 80, 24, tale.now)
    assert len(lines) <= 24
    assert sum(line.startswith("r-1") for line in lines) == 3
    assert drawn([], 80, 24, 0.0) == ["No run under way"]


def test_titles_are_data() -> None:
    """What looks like markup or an escape sequence is shown or dropped, never obeyed."""
    tale = Tale("#[red]x").admit("#[red]x").end("#[red]x", JobStatus.FAILED, "[bold]\x1b[2Jboom")
    text = "\n".join(drawn([fold(RUN, tale.events)], 120, 10, tale.now))
    assert "#[red]x" in text
    assert "[bold]boom" in text


def test_it_is_drawn_on_a_stream() -> None:
    """UI-1: each update draws at once; leaving it leaves the last picture."""
    stream = io.StringIO()
    tale = busy()
    with LiveBoard(stream, color=False) as board:
        board.update([fold(RUN, tale.events)], tale.now)
    assert "2 of 3 done" in stream.getvalue()


def test_rich_is_imported_only_for_the_board() -> None:
    """A command imports only what it needs: importing every module of the terminal does not import rich."""
    code = (
        "import sys, pkgutil, importlib, weft.terminal as t\n"
        "for m in pkgutil.iter_modules(t.__path__): importlib.import_module('weft.terminal.' + m.name)\n"
        "assert not [m for m in sys.modules if m.split('.')[0] == 'rich'], 'rich was imported'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
