"""A timeline: rows with bars on one axis of time. What it shows is the caller's; how much fits is decided here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from heapq import heappop, heappush

import msgspec

MOST_ROWS = 80
MOST_BARS = 4000
MOST_TRACKS = 24
"""Bars of one row that overlap lie on tracks under each other, up to so many."""
SLICES = 240
"""Of the axis, where single bars would be too many: each tells how many lie in it on average."""


class Tone(Enum):
    """What a bar stands for, so that a picture can colour it."""

    WORK = "work"
    QUEUE = "queue"
    PASSED = "passed"
    FAILED = "failed"
    PARKED = "parked"


class Bar(msgspec.Struct, frozen=True, gc=False):
    start: float
    end: float
    label: str
    tip: str = ""
    """More about it, for who points at it."""
    tone: Tone = Tone.WORK


class Mark(msgspec.Struct, frozen=True, gc=False):
    """A moment that concerns all rows."""

    at: float
    label: str


class Row(msgspec.Struct, frozen=True):
    label: str
    bars: Sequence[Bar]


class Timeline(msgspec.Struct, frozen=True):
    title: str
    start: float
    end: float
    rows: Sequence[Row]
    """The most important first: of too many, the rest become one."""
    marks: tuple[Mark, ...] = ()
    rows_are: str = "lanes"


class LaidRow(msgspec.Struct, frozen=True):
    """A row as it is drawn: its bars on tracks, or, where they are too many, how many there were at a time."""

    label: str
    count: int
    tracks: tuple[tuple[Bar, ...], ...] = ()
    load: tuple[float, ...] = ()
    """By slice, each as long as the others."""


def laid_out(timeline: Timeline) -> list[LaidRow]:
    """With more than one row, the first tells how many bars all of them had at a time."""
    rows = _fewer(timeline)
    room = max(20, MOST_BARS // max(1, len(rows)))
    laid = [_laid(row, timeline, room) for row in rows]
    if len(timeline.rows) <= 1:
        return laid
    everything = [bar for row in timeline.rows for bar in row.bars if bar.tone is not Tone.QUEUE]
    return [LaidRow("all", len(everything), load=_load(everything, timeline)), *laid]


def _fewer(timeline: Timeline) -> Sequence[Row]:
    rows = timeline.rows
    if len(rows) <= MOST_ROWS:
        return rows
    rest = rows[MOST_ROWS - 1 :]
    merged = Row(f"{len(rest):,} more {timeline.rows_are}", [bar for row in rest for bar in row.bars])
    return [*rows[: MOST_ROWS - 1], merged]


def _laid(row: Row, timeline: Timeline, room: int) -> LaidRow:
    if len(row.bars) <= room:
        tracks = tracks_of(row.bars)
        if len(tracks) <= MOST_TRACKS:
            return LaidRow(row.label, len(row.bars), tracks=tracks)
    return LaidRow(row.label, len(row.bars), load=_load(row.bars, timeline))


def tracks_of(bars: Iterable[Bar]) -> tuple[tuple[Bar, ...], ...]:
    """Each bar on the first track that is free by then, so that none covers another."""
    tracks: list[list[Bar]] = []
    free: list[int] = []
    taken: list[tuple[float, int]] = []
    for bar in sorted(bars, key=lambda bar: (bar.start, bar.end)):
        while taken and taken[0][0] <= bar.start:
            heappush(free, heappop(taken)[1])
        if not free:
            heappush(free, len(tracks))
            tracks.append([])
        track = heappop(free)
        tracks[track].append(bar)
        heappush(taken, (bar.end, track))
    return tuple(map(tuple, tracks))


def _load(bars: Iterable[Bar], timeline: Timeline) -> tuple[float, ...]:
    """How many bars each slice of the axis has, on average over the slice."""
    length = (timeline.end - timeline.start) / SLICES
    if length <= 0:
        return (0.0,) * SLICES
    partial = [0.0] * (SLICES + 1)
    change = [0] * (SLICES + 1)
    for bar in bars:
        _add(partial, change, (bar.start - timeline.start) / length, (bar.end - timeline.start) / length)
    whole = 0
    load: list[float] = []
    for slice_ in range(SLICES):
        whole += change[slice_]
        load.append(whole + partial[slice_])
    return tuple(load)


def _add(partial: list[float], change: list[int], start: float, end: float) -> None:
    """From and to are in slices: parts of the first and the last, and all of those between."""
    start, end = max(0.0, start), min(float(SLICES), end)
    if end <= start:
        return
    first, last = int(start), int(end)
    if first == last:
        partial[first] += end - start
        return
    partial[first] += first + 1 - start
    partial[last] += end - last
    change[first + 1] += 1
    change[last] -= 1
