"""A timeline as a picture: one SVG text that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from weft.board.durations import duration_text
from weft.board.timeline import SLICES, Bar, LaidRow, Mark, Timeline, laid_out

WIDTH = 1200
LABELS = 170
"""Pixels for the names of rows."""
TRACK = 16
LOAD = 36
"""The height of a row that tells how many bars there were."""
TOP = 56
GAP = 6
_TICKS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
_MOST_TICKS = 10
_LETTER = 6.2
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_STYLE = """\
text{font:11px ui-sans-serif,system-ui,sans-serif;fill:#24292f}
.title{font-size:14px;font-weight:600}
.dim{fill:#6e7781}
.grid{stroke:#d0d7de;stroke-width:1}
.mark{stroke:#cf222e;stroke-width:1;stroke-dasharray:3 3}
.back{fill:#ffffff}
.inside{fill:#ffffff;font-size:10px;pointer-events:none}
.work{fill:#0969da}.queue{fill:#bf8700}.passed{fill:#1a7f37}.failed{fill:#cf222e}.parked{fill:#8250df}
.load{fill:#0969da;opacity:.55}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.dim{fill:#8d96a0}.grid{stroke:#30363d}.back{fill:#0d1117}.inside{fill:#ffffff}
}"""


def timeline_svg(timeline: Timeline) -> str:
    """Readable with thousands of bars: where they would be too many, a row shows how many there were at a time."""
    rows = laid_out(timeline)
    height = TOP + sum(_height(row) + GAP for row in rows) + 24
    return "\n".join(
        [
            _opening(timeline.title, height),
            f"<style>{_STYLE}</style>",
            f'<rect class="back" width="{WIDTH}" height="{height}"/>',
            f'<text class="title" x="12" y="22">{_text(timeline.title)}</text>',
            *_axis(timeline, height),
            *_rows(timeline, rows),
            *(_mark(timeline, mark, height) for mark in timeline.marks),
            "</svg>\n",
        ]
    )


def _opening(title: str, height: int) -> str:
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{_text(title)}">'


def _rows(timeline: Timeline, rows: list[LaidRow]) -> Iterator[str]:
    top = TOP
    for row in rows:
        yield from _row(timeline, row, top)
        top += _height(row) + GAP


def _height(row: LaidRow) -> int:
    return LOAD if row.load else TRACK * max(1, len(row.tracks))


def _row(timeline: Timeline, row: LaidRow, top: int) -> Iterator[str]:
    yield f'<text x="12" y="{top + 12}">{_text(_cut(row.label, LABELS - 20))}<title>{_text(row.label)}</title></text>'
    if row.load:
        yield _load(row, top)
        return
    for place, track in enumerate(row.tracks):
        for bar in track:
            yield _bar(timeline, bar, top + place * TRACK)


def _bar(timeline: Timeline, bar: Bar, top: int) -> str:
    left, right = _x(timeline, bar.start), _x(timeline, bar.end)
    wide = max(0.5, right - left - 0.5)
    shape = f'<rect class="{bar.tone.value}" x="{left:.1f}" y="{top}" width="{wide:.1f}" height="{TRACK - 2}" rx="2">'
    tip = f"<title>{_text(bar.tip or bar.label)}</title></rect>"
    if len(bar.label) * _LETTER + 6 > wide:
        return shape + tip
    return f'{shape}{tip}<text class="inside" x="{left + 3:.1f}" y="{top + 11}">{_text(bar.label)}</text>'


def _load(row: LaidRow, top: int) -> str:
    """Steps as high as the number of bars, with the most at full height."""
    most = max(row.load)
    scale = (LOAD - 2) / most if most else 0.0
    slice_ = (WIDTH - LABELS - 12) / SLICES
    bottom = top + LOAD
    path = [f"M{LABELS},{bottom}"]
    for place, load in enumerate(row.load):
        path.append(f"V{bottom - load * scale:.1f}H{LABELS + (place + 1) * slice_:.1f}")
    tip = f"{row.label}: {row.count:,} in all, at most {most:,.0f} at a time"
    beside = f'<text class="dim" x="12" y="{top + 26}">{row.count:,} in all, most {most:,.0f}</text>'
    return f'<path class="load" d="{"".join(path)}V{bottom}Z"><title>{_text(tip)}</title></path>{beside}'


def _axis(timeline: Timeline, height: int) -> Iterator[str]:
    for seconds in ticks(timeline.end - timeline.start):
        x = _x(timeline, timeline.start + seconds)
        yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{height - 20}"/>'
        anchor = "end" if x > WIDTH - 40 else "start"
        said = duration_text(seconds) if seconds else "0"
        yield f'<text class="dim" text-anchor="{anchor}" x="{x:.1f}" y="{TOP - 13}">{said}</text>'


def ticks(length: float) -> list[float]:
    """Round times, at most ten of them."""
    step: float = next((step for step in _TICKS if length / step <= _MOST_TICKS), 0)
    if not step:
        days = length / 86400
        step = 86400.0 * -(-days // _MOST_TICKS)
    if length < 1:
        return [0.0]
    return [step * number for number in range(int(length / step) + 1)]


def _mark(timeline: Timeline, mark: Mark, height: int) -> str:
    x = _x(timeline, mark.at)
    line = f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{height - 20}">'
    return f"{line}<title>{_text(mark.label)}</title></line>"


def _x(timeline: Timeline, at: float) -> float:
    length = timeline.end - timeline.start
    share = (at - timeline.start) / length if length > 0 else 0.0
    return LABELS + share * (WIDTH - LABELS - 12)


def _cut(text: str, pixels: int) -> str:
    most = int(pixels / _LETTER)
    return text if len(text) <= most else text[: most - 1] + "…"


def _text(text: str) -> str:
    """Titles of issues are anyone's text."""
    return escape(_NOT_XML.sub("", text))
