"""The live board (UI-1): a run as a table that stays in place. Only this module imports rich, and only when used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from weft.board.durations import duration_text, money_text
from weft.board.states import PhaseState
from weft.board.views import JobView, PhaseView, RunView
from weft.model.job import JobStatus
from weft.terminal.glyphs import UNICODE, Glyphs
from weft.terminal.merge_summary import queued_text
from weft.terminal.plain import plain
from weft.terminal.screen import size_of
from weft.terminal.status import PUBLISHING, current_text, lever_text
from weft.terminal.summary import status_word

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

_STYLES = {
    JobStatus.PASSED: "green",
    JobStatus.SKIPPED: "green",
    JobStatus.FAILED: "red",
    JobStatus.LOCKED: "yellow",
    JobStatus.PARKED: "yellow",
    JobStatus.NO_CHANGE: "yellow",
}
_OVERHEAD = 4
"""Lines of a run's block that are not jobs: title, levers, the table's head, the count of the rest."""


def render_board(views: Sequence[RunView], now: float, height: int, glyphs: Glyphs = UNICODE) -> RenderableType:
    """All runs given, in at most `height` lines: each shares the room, and says how many jobs it leaves out."""
    from rich.console import Group
    from rich.text import Text

    if not views:
        return Text("No run under way", no_wrap=True)
    fit = max(1, height // (_OVERHEAD + 1))
    shown = views[:fit]
    share = max(1, height // len(shown) - _OVERHEAD)
    blocks: list[RenderableType] = [part for view in shown for part in _run(view, now, share, glyphs)]
    return Group(*blocks)


class LiveBoard:
    """Keeps the board in place on a terminal until it is stopped. `update` draws once; call it as often as wanted."""

    def __init__(self, stream: TextIO, *, color: bool = True, glyphs: Glyphs = UNICODE) -> None:
        from rich.console import Console
        from rich.live import Live

        self._stream = stream
        self._glyphs = glyphs
        self._console: Console = Console(file=stream, no_color=not color, highlight=False, emoji=False, markup=False)
        self._live = Live(console=self._console, auto_refresh=False, vertical_overflow="crop")

    def __enter__(self) -> LiveBoard:
        self._live.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._live.stop()
        if not self._console.is_terminal:  # there it is shown once, at the end, without the end of its last line
            self._console.line()

    def update(self, views: Sequence[RunView], now: float) -> None:
        """The size is asked anew each time, so that a resized window is used as it is."""
        columns, rows = size_of(self._stream)
        self._console.width, self._console.height = columns, rows
        room = max(_OVERHEAD + 1, rows - 1)
        self._live.update(render_board(views, now, room, self._glyphs), refresh=True)


def _run(view: RunView, now: float, rows: int, glyphs: Glyphs) -> list[RenderableType]:
    jobs, left_out = choose_jobs(view, rows)
    parts: list[RenderableType] = [_line(_title(view, now, glyphs), "bold"), _line(lever_text(view, glyphs), "dim")]
    parts.append(_table(view, jobs, view.worked(now), glyphs))
    if left_out:
        parts.append(_line(f"{glyphs.ellipsis} and {left_out} more", "dim"))
    return parts


def choose_jobs(view: RunView, rows: int) -> tuple[list[JobView], int]:
    """Those that fit, in the plan's order, so that rows do not jump; in flight before waiting for a person, before
    the latest to end, before what is to come. Second: how many are left out."""
    jobs = list(view.jobs.values())
    if len(jobs) <= rows:
        return jobs, 0
    ranked = sorted(range(len(jobs)), key=lambda place: (*_urgency(jobs[place]), place))
    return [jobs[place] for place in sorted(ranked[:rows])], len(jobs) - rows


def _urgency(job: JobView) -> tuple[int, float]:
    if job.in_flight:
        return 0, 0.0
    if job.status in (JobStatus.PARKED, JobStatus.FAILED):
        return 1, -(job.ended_at or 0.0)
    if job.status is None:
        return (2, 0.0) if job.begun is not None else (4, 0.0)
    return 3, -(job.ended_at or 0.0)


def _title(view: RunView, now: float, glyphs: Glyphs) -> str:
    parts = [view.run, view.mode.value, view.status.value, f"{view.ended} of {len(view.jobs)} done"]
    parts.append(duration_text(view.duration(now)))
    if view.usage.sessions:
        parts.append(money_text(view.usage.cost_usd))
    return f" {glyphs.dot} ".join(parts)


def _table(view: RunView, jobs: Sequence[JobView], worked: float, glyphs: Glyphs) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, expand=True, show_edge=False)
    table.add_column("job", no_wrap=True, overflow="ellipsis", max_width=24)
    table.add_column("title", no_wrap=True, overflow="ellipsis", ratio=2)
    table.add_column("status", no_wrap=True)
    table.add_column("phases", no_wrap=True, overflow="ellipsis", max_width=30)
    table.add_column("now", no_wrap=True, overflow="ellipsis", ratio=3)
    table.add_column("time", no_wrap=True, justify="right")
    table.add_column("cost", no_wrap=True, justify="right")
    for job in jobs:
        table.add_row(*_cells(view, job, worked, glyphs))
    return table


def _cells(view: RunView, job: JobView, worked: float, glyphs: Glyphs) -> list[Text]:
    style = (
        _STYLES.get(job.status, "")
        if job.status
        else ("cyan" if job.in_flight or job.queued or job.publishing else "dim")
    )
    now = _now(view, job, worked, glyphs)
    return [
        _cell(view.label(job.key)),
        _cell(job.job.title),
        _cell(status_word(view, job), style),
        _cell(" ".join(_phase(phase, glyphs) for phase in job.phases)),
        _cell(now),
        _cell(duration_text(job.elapsed(worked)) if job.begun is not None else ""),
        _cell(money_text(job.usage.cost_usd) if job.usage.sessions else ""),
    ]


def _now(view: RunView, job: JobView, worked: float, glyphs: Glyphs) -> str:
    if job.status is not None:
        landed = f"landed on {job.target}" if job.merged else ""
        pull = f"pull request #{job.pull_request}" if job.pull_request is not None else ""
        return plain(job.explained or landed or pull)
    if job.publishing:
        return PUBLISHING
    return queued_text(view, job, glyphs, worked + view.downtime) if job.queued else current_text(job, worked, glyphs)


def _phase(phase: PhaseView, glyphs: Glyphs) -> str:
    signs = {
        PhaseState.NOT_RUN: "",
        PhaseState.RUNNING: glyphs.bullet,
        PhaseState.PASSED: glyphs.tick,
        PhaseState.FAILED: glyphs.cross,
        PhaseState.RETRYING: glyphs.cross,
        PhaseState.CONTINUED: glyphs.bullet,
    }
    again = f"{glyphs.times}{phase.tries}" if phase.tries > 1 else ""
    return f"{phase.name}{signs.get(phase.state, glyphs.dash)}{again}"


def _cell(text: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(plain(text), style=style)


def _line(text: str, style: str) -> Text:
    from rich.text import Text

    return Text(plain(text), style=style, no_wrap=True, overflow="ellipsis")
