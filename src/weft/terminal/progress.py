"""The progress line: `Progress: #100 ✓ #101 ✗ #102 ⏳`."""

from __future__ import annotations

from itertools import islice

from weft.board.views import JobView, RunView
from weft.model.job import JobStatus
from weft.terminal.glyphs import Glyphs
from weft.terminal.plain import cut, plain, width

MOST_LISTED = 60
"""Above this the line counts: a list of ten thousand, printed as often, helps nobody."""


def progress_line(view: RunView, glyphs: Glyphs, columns: int | None = None) -> str:
    """Never wider than `columns`: where the whole list does not fit, counts, then those in flight."""
    if len(view.jobs) <= MOST_LISTED:
        whole = "Progress: " + " ".join(_item(view, job, glyphs) for job in view.jobs.values())
        if columns is None or width(whole) <= columns:
            return whole
    return _counted(view, glyphs, columns)


def _counted(view: RunView, glyphs: Glyphs, columns: int | None) -> str:
    line = "Progress: " + " ".join(f"{count} {mark}" for mark, count in _marks(view, glyphs))
    if columns is not None and width(line) > columns:
        return cut(line, columns, glyphs.ellipsis)
    return line + _in_flight(view, glyphs, None if columns is None else columns - width(line))


def _marks(view: RunView, glyphs: Glyphs) -> list[tuple[str, int]]:
    """Each mark with how many jobs bear it: what is done first, what is to come last."""
    sums: dict[str, int] = {}
    for status in JobStatus:
        if count := view.counts.get(status, 0):
            mark = glyphs.mark(status)
            sums[mark] = sums.get(mark, 0) + count
    if left := len(view.jobs) - view.ended:
        sums[glyphs.pending] = left
    return list(sums.items())


def _in_flight(view: RunView, glyphs: Glyphs, room: int | None) -> str:
    """` · #103 ⏳ #104 ⏳ …`, as many as fit."""
    text, mark = "", f" {glyphs.dot} "
    for job in islice(view.running.values(), MOST_LISTED):
        more = f"{mark if not text else ' '}{_item(view, job, glyphs)}"
        if room is not None and width(text) + width(more) + 1 + width(glyphs.ellipsis) > room:
            return f"{text} {glyphs.ellipsis}" if text else ""
        text += more
    return text


def _item(view: RunView, job: JobView, glyphs: Glyphs) -> str:
    return f"{plain(view.label(job.key))} {glyphs.mark(job.status)}"
