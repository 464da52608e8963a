"""Whatever a program prints, reading it does not fail, and only what says so is a success (AGENT-3, AGENT-4)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.transcripts import Recorded
from tests.unit.agents.built_in import KINDS, ask

from weft.agents.registry import make_agent
from weft.model.outcome import SessionOutcome
from weft.model.phase import FailureClass
from weft.model.plan import AgentKind

TYPES = (
    *("system", "assistant", "user", "result", "rate_limit_event", "thread.started", "item.started", "item.completed"),
    *("turn.completed", "turn.failed", "error", "init", "message", "tool_use", "tool_result", "text", "step_finish"),
)
NAMES = (
    *("subtype", "message", "content", "text", "session_id", "is_error", "result", "usage", "errors", "stats", "item"),
    *("rate_limit_info", "status", "resetsAt", "permission_denials", "model_usage_since_last_result", "part", "state"),
    *("error", "tool_id", "role", "delta", "id", "input_tokens", "structured_output", "api_error_status", "reason"),
    *("tokens", "cache", "cost", "severity", "data", "statusCode", "total_cost_usd", "costUSD", "name", "sessionID"),
)
WORDS = st.sampled_from(["success", "init", "agent_message", "stop", "rejected", "error", "assistant", "text", ""])
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=20)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)
EVENTS = st.builds(
    lambda kind, rest: json.dumps({"type": kind, **rest}).encode("utf-8", "replace"),
    st.sampled_from(TYPES),
    st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6),
)
LINES = st.lists(st.binary(max_size=60) | EVENTS, max_size=12)


def read(kind: AgentKind, lines: list[bytes], exit_status: int, *, verdict: bool = False) -> SessionOutcome:
    reader = make_agent(kind).reader(ask(kind, verdict=verdict))
    for line in lines:
        reader.feed(line)
    return reader.outcome(exit_status, "the end")


@pytest.mark.parametrize("kind", KINDS)
@given(lines=LINES, status=st.integers(-64, 255), verdict=st.booleans())
def test_nothing_that_is_printed_breaks_the_reader(
    kind: AgentKind, lines: list[bytes], status: int, verdict: bool
) -> None:
    """Any bytes, any events of any shape; success needs exit status 0, usage is not negative (AGENT-3, AGENT-4)."""
    outcome = read(kind, lines, status, verdict=verdict)
    assert status == 0 or outcome.failure is not None
    assert min(outcome.usage.input_tokens, outcome.usage.output_tokens, outcome.usage.cached_tokens) >= 0
    assert outcome.verdict is None or verdict
    assert outcome.failure is None or outcome.failure.message


@pytest.mark.parametrize("kind", KINDS)
@given(junk=st.lists(st.binary(max_size=40), max_size=6), data=st.data())
def test_junk_between_the_events_changes_nothing(kind: AgentKind, junk: list[bytes], data: st.DataObject) -> None:
    """Lines that are no events stay in the transcript and count for nothing (AGENT-3)."""
    lines = Recorded(kind.value, "text").stdout.split(b"\n")
    clean = read(kind, lines, 0)
    mixed = list(lines)
    for line in junk:
        mixed.insert(data.draw(st.integers(0, len(mixed))), b"~" + line)
    assert read(kind, mixed, 0) == clean


@pytest.mark.parametrize("kind", KINDS)
def test_a_line_of_fifty_megabytes_is_read_over(kind: AgentKind) -> None:
    """As an event of a known type, as one of none, and as no event at all (AGENT-3)."""
    lines = Recorded(kind.value, "text").stdout.split(b"\n")
    huge = b"x" * 50_000_000
    known = {"claude": b"user", "codex": b"item.completed", "gemini": b"tool_result", "opencode": b"tool_use"}[
        kind.value
    ]
    for line in (huge, b'{"type":"' + known + b'","big":"' + huge + b'"}', b'{"type":"new","big":"' + huge + b'"}'):
        outcome = read(kind, [lines[0], line, *lines[1:]], 0)
        assert outcome.failure is None
        assert len(outcome.text) < 1000


@pytest.mark.parametrize("kind", KINDS)
def test_deep_nesting_is_read_over(kind: AgentKind) -> None:
    """As deep as a parser gives up (AGENT-3)."""
    deep: bytes = b'{"type":"result","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    assert read(kind, [deep], 0).failure is not None


@pytest.mark.parametrize(
    ("status", "kind"), [(143, FailureClass.KILLED), (130, FailureClass.KILLED), (-6, FailureClass.CRASHED)]
)
def test_signals_show_in_the_exit_status(status: int, kind: FailureClass) -> None:
    """Also where a program caught one and ended with 128 and its number (AGENT-4)."""
    started: dict[str, Any] = {"type": "system", "subtype": "init", "session_id": "s"}
    failure = read(AgentKind.CLAUDE, [json.dumps(started).encode()], status).failure
    assert failure is not None
    assert failure.kind is kind
