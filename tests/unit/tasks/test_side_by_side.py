"""Answers next to each other (TASK-13)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weft.terminal.plain import plain, width
from weft.terminal.side_by_side import Column, side_by_side


def test_beside_each_other() -> None:
    """Wrapped at blanks, headings above."""
    long = "word " * 20
    lines = side_by_side([Column("a", long), Column("b", "short")], 80)
    assert lines[0] == f"{'a':38} | b"
    assert lines[2].endswith(" | short")
    assert all(width(line) <= 80 for line in lines)
    assert " ".join(line.partition("|")[0].strip() for line in lines[2:]).split() == long.split()


def test_below_each_other_where_it_is_narrow() -> None:
    """Too many for the terminal: one after the other, unwrapped."""
    lines = side_by_side([Column(name, f"{name} says\nthis") for name in "abc"], 80)
    assert lines[:5] == ["a", "----", "a says", "this", ""]


@given(st.lists(st.text(max_size=200), min_size=1, max_size=4), st.integers(20, 200))
def test_nothing_is_lost(texts: list[str], room: int) -> None:
    """Every character that can be seen is somewhere, and no line is wider than the room where they are beside."""
    lines = side_by_side([Column(str(number), text) for number, text in enumerate(texts)], room)
    shown = "".join(lines)
    for text in texts:
        for line in text.splitlines():
            assert all(char in shown for char in plain(line.expandtabs(4)) if not char.isspace())
