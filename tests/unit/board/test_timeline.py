"""Timelines: what fits, and the picture."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from weft.board.timeline import MOST_BARS, MOST_ROWS, SLICES, Bar, Mark, Row, Timeline, Tone, laid_out, tracks_of
from weft.board.timeline_svg import ticks, timeline_svg

SVG = "{http://www.w3.org/2000/svg}"


def timeline(*rows: Row, end: float = 100.0) -> Timeline:
    return Timeline("wave M1", 0.0, end, rows)


def bars(*spans: tuple[float, float]) -> list[Bar]:
    return [Bar(start, end, f"{start:g}") for start, end in spans]


def test_bars_that_overlap_lie_on_tracks_of_their_own() -> None:
    """The first that is free is used again."""
    tracks = tracks_of(bars((0, 10), (5, 15), (10, 20), (6, 7)))
    assert [[bar.label for bar in track] for track in tracks] == [["0", "10"], ["5"], ["6"]]


def test_many_bars_become_a_load_with_the_same_work() -> None:
    """Nothing is lost: the sum over the slices is the sum of the bars."""
    many = bars(*((number / 100, number / 100 + 3.3) for number in range(MOST_BARS + 1)))
    (row,) = laid_out(timeline(Row("shop", many)))
    assert not row.tracks
    assert sum(row.load) * 100 / SLICES == pytest.approx(sum(bar.end - bar.start for bar in many))
    assert row.count == MOST_BARS + 1


def test_many_rows_become_one_that_says_how_many() -> None:
    """The first ones stay, and the row of all counts them all."""
    rows = [Row(f"repo-{number}", bars((0, 50))) for number in range(MOST_ROWS + 5)]
    laid = laid_out(timeline(*rows))
    assert [laid[0].label, laid[-1].label] == ["all", "6 more lanes"]
    assert len(laid) == MOST_ROWS + 1
    assert max(laid[0].load) == MOST_ROWS + 5


def test_time_in_the_merge_queue_is_no_work() -> None:
    """It does not count where all rows are summed up."""
    queued = Bar(50, 100, "", tone=Tone.QUEUE)
    laid = laid_out(timeline(Row("api", [*bars((0, 50)), queued]), Row("shop", [])))
    assert (laid[0].load[0], laid[0].load[-1]) == (1.0, 0.0)


def test_a_moment_without_length_has_a_picture_too() -> None:
    """An empty plan, or one that takes no time."""
    drawn = ET.fromstring(timeline_svg(timeline(Row("a", bars((0, 0))), Row("b", []), end=0.0)))
    assert drawn.tag == f"{SVG}svg"


def test_the_picture_has_a_bar_with_a_tip_per_job() -> None:
    """One self-contained file."""
    text = timeline_svg(timeline(Row("shop", [Bar(0, 60, "shop#1", "shop#1 Login"), *bars((60, 90))])))
    drawn = ET.fromstring(text)
    tips = [title.text for rect in drawn.iter(f"{SVG}rect") for title in rect.findall(f"{SVG}title")]
    assert tips == ["shop#1 Login", "60"]
    assert "href" not in text
    assert "url(" not in text


def test_anyone_s_text_is_only_text() -> None:
    """SEC-2: a title may hold markup and characters that XML does not allow."""
    nasty = "</title><script>alert(1)</script>\x00\ud800&"
    bar = Bar(0, 100, nasty, nasty)
    drawn = ET.fromstring(timeline_svg(Timeline(nasty, 0, 100, [Row(nasty, [bar]), Row("", [])], (Mark(5, nasty),))))
    assert not list(drawn.iter(f"{SVG}script"))


@pytest.mark.parametrize("length", [0.2, 1, 59, 3600, 5000, 86400 * 3, 86400 * 400])
def test_the_axis_has_a_few_round_times(length: float) -> None:
    """From seconds to years."""
    found = ticks(length)
    assert 1 <= len(found) <= 11
    assert found[-1] <= length
