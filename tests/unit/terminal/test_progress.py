"""The progress line and the width of text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.board.events_builder import RUN, Tale

from weft.board.board import fold
from weft.model.job import JobStatus
from weft.terminal.glyphs import ASCII, UNICODE, Glyphs, glyphs_for
from weft.terminal.plain import cut, pad, plain, width
from weft.terminal.progress import progress_line

NAMES = st.lists(st.text(st.characters(exclude_characters="#"), min_size=1, max_size=12), unique=True, max_size=80)


@given(NAMES, st.integers(1, 200), st.sampled_from([UNICODE, ASCII]))
def test_it_is_never_wider_than_the_terminal(names: list[str], columns: int, glyphs: Glyphs) -> None:
    """RUN-11: whatever the labels and however many, wide characters included."""
    tale = Tale(*(f"#{name}" for name in names))
    for position, name in enumerate(names):
        if position % 3 == 0:
            tale.end(f"#{name}", list(JobStatus)[position % len(JobStatus)])
        elif position % 3 == 1:
            tale.admit(f"#{name}")
    line = progress_line(fold(RUN, tale.events), glyphs, columns)
    assert width(line) <= columns
    assert "\n" not in line


def test_a_long_list_is_counted() -> None:
    """RUN-11: with more issues than fit, counts, then those in flight."""
    names = [f"#{number}" for number in range(100, 130)]
    tale = Tale(*names).end("#100").end("#101", JobStatus.FAILED).admit("#105").admit("#106")
    view = fold(RUN, tale.events)
    assert progress_line(view, UNICODE, 50) == "Progress: 1 ✓ 1 ✗ 28 ⏳ · #105 ⏳ #106 ⏳"
    assert progress_line(view, UNICODE, 36) == "Progress: 1 ✓ 1 ✗ 28 ⏳ · #105 ⏳ …"
    assert progress_line(view, UNICODE, 24) == "Progress: 1 ✓ 1 ✗ 28 ⏳"
    assert progress_line(view, UNICODE).count("#") == 30


def test_thousands_are_counted_everywhere() -> None:
    """A list of ten thousand is not printed ten thousand times."""
    view = fold(RUN, Tale(*(f"#{number}" for number in range(10_000))).events)
    assert progress_line(view, UNICODE) == "Progress: 10000 ⏳"


def test_signs_follow_the_encoding() -> None:
    """Streams that cannot show the signs get plain ones."""
    assert glyphs_for("utf-8") is UNICODE
    assert glyphs_for("UTF-16") is UNICODE
    assert [glyphs_for(name) for name in ("ascii", "latin-1", None, "no-such-encoding")] == [ASCII] * 4


@given(st.text(), st.integers(0, 40))
def test_cut_text_fits(text: str, columns: int) -> None:
    """Text cut to a width has that width at most, and is untouched where it fits."""
    short = cut(text, columns)
    assert width(short) <= columns
    assert short == text or width(text) > columns


@given(st.text())
def test_plain_text_is_one_harmless_line(text: str) -> None:
    """Text from outside cannot move the cursor, colour, ring, or turn the reading direction."""
    safe = plain(text)
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 or char in "\u202e\u2066" for char in safe)
    assert plain(safe) == safe


def test_escape_sequences_go_whole() -> None:
    """RUN-13: not only the escape character but what it introduces."""
    assert plain("\x1b[31mred\x1b[0m \x1b]8;;http://x\x1b\\link\x1b]8;;\x07 \x9b1mbold\x1b(B") == "red link bold"


def test_width_counts_columns() -> None:
    """Wide characters take two columns, combining ones none."""
    assert [width(text) for text in ("abc", "日本", "⏳", "e\u0301")] == [3, 4, 2, 1]
    assert pad("日", 4) == "日  "
