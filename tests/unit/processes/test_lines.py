"""Cutting chunks into lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weft.processes.lines import Lines

TEXT = st.lists(st.sampled_from([b"a", b"\n", b"\xff", b"longer", b"\r"]), max_size=60).map(b"".join)


def cut(chunks: list[bytes], limit: int) -> tuple[list[bytes], int]:
    lines = Lines(limit)
    given_out = [line for chunk in chunks for line in lines.take(chunk)] + lines.last()
    return given_out, lines.oversized


@given(TEXT, st.integers(0, 12), st.lists(st.integers(1, 20), min_size=60, max_size=60))
def test_however_it_is_cut_the_lines_are_the_same(text: bytes, limit: int, sizes: list[int]) -> None:
    """No line is lost, split or joined, wherever the chunks end; those beyond the limit are only counted."""
    chunks, rest = [], text
    for size in sizes:
        chunks.append(rest[:size])
        rest = rest[size:]
    expected = text.split(b"\n")
    if not expected[-1]:
        expected.pop()
    fitting = [line for line in expected if len(line) <= limit]
    assert cut([chunk for chunk in [*chunks, rest] if chunk], limit) == (fitting, len(expected) - len(fitting))


def test_a_long_line_is_not_kept() -> None:
    """Memory stays bounded while a line beyond the limit goes on."""
    lines = Lines(limit=1000)
    for _ in range(100):
        assert lines.take(b"x" * 900) == []
    assert sum(map(len, lines._parts)) <= 1000
    assert lines.take(b"\nnext\n") == [b"next"]
    assert lines.oversized == 1
