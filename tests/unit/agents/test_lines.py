"""Weft's event lines (AGENT-3)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.agents import lines
from weft.agents.lines import parse_line


@pytest.mark.parametrize(
    ("line", "read"),
    [
        (
            b'{"type":"usage","input_tokens":1200,"output_tokens":300,"cost_usd":0.01}',
            lines.UsageLine(1200, 300, cost_usd=0.01),
        ),
        (
            b'{"type":"rate_limit","status":"rejected","resets_at":1799999999,"scope":"account"}',
            lines.RateLimitLine(lines.LimitStatus.REJECTED, 1799999999.0),
        ),
        (b'{"type":"verdict","approved":false,"findings":["a"]}', lines.VerdictLine(False, ("a",))),
        (b'{"type":"touches","paths":["src/a.py"]}', lines.TouchesLine(("src/a.py",))),
        (b'{"type":"result","ok":true,"text":"done"}', lines.ResultLine(True, "done")),
        (b'{"type":"result","ok":false,"class":"auth"}', lines.ResultLine(False, "", lines.Told.AUTH)),
        (b' {"new_key": 1, "text":"hi","type":"message"} \r', lines.MessageLine("hi")),
    ],
)
def test_every_type_is_read(line: bytes, read: lines.Line) -> None:
    """Keys may be in any order, and further ones are ignored (AGENT-3)."""
    assert parse_line(line) == read


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"hello",
        b"{",
        b"[]",
        b"1",
        b"null",
        b'"x"',
        b'{"type":1}',
        b'{"a":1}',
        b'{"type":"tool_call"}',
        b"\xff\xfe",
        b"\x00",
    ],
)
def test_other_lines_are_none_of_wefts(line: bytes) -> None:
    """Text, broken JSON and unknown types are left in the transcript (AGENT-3)."""
    assert parse_line(line) is None


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"verdict","approved":"true"}',
        '{"type":"verdict"}',
        '{"type":"verdict","approved":1}',
        '{"type":"usage","input_tokens":-5}',
        '{"type":"usage","input_tokens":"5"}',
        '{"type":"usage","cost_usd":-1}',
        '{"type":"result"}',
        '{"type":"result","ok":null}',
        '{"type":"result","ok":false,"class":"killed"}',
        '{"type":"touches","paths":"a"}',
        '{"type":"rate_limit","status":"maybe"}',
        '{"type":"rate_limit","status":"rejected","resets_at":"soon"}',
    ],
)
def test_a_known_type_that_does_not_fit_is_malformed(line: str) -> None:
    """It is neither taken for something nor forgotten (AGENT-3)."""
    found = parse_line(line.encode())
    assert isinstance(found, lines.Malformed)
    assert found.kind == json.loads(line)["type"]
    assert found.problem


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["ok", "text", "approved", "findings", "paths", "status", "resets_at", "input_tokens", "cost_usd", "class"]
)


@given(
    st.binary()
    | st.builds(
        lambda kind, more: json.dumps({**more, "type": kind}).encode(),
        st.sampled_from(list(lines.KINDS)),
        st.dictionaries(KEYS, JSON),
    )
)
def test_no_bytes_break_it(line: bytes) -> None:
    """Any bytes and any JSON under the known keys give a line, a malformed one, or nothing (AGENT-3)."""
    found = parse_line(line)
    assert found is None or isinstance(found, (*lines.KINDS.values(), lines.Malformed))


@pytest.mark.parametrize("line", [b"[" * 1_000_000, b'{"type":' * 200_000, b'{"type":"result","x":' + b"[" * 1_000_000])
def test_nesting_without_end_breaks_nothing(line: bytes) -> None:
    """A line that would overflow a stack is just a bad line (AGENT-3)."""
    assert not isinstance(parse_line(line), lines.ResultLine)
