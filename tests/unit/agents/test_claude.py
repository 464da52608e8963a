"""Claude Code: its command line and its events (AGENT-2, AGENT-3, AGENT-5)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from tests.unit.agents.built_in import ask, pairs, phase

from weft.agents import claude
from weft.agents.registry import make_agent, phase_problems, phase_warnings
from weft.model.limits import LimitStatus
from weft.model.outcome import SessionOutcome
from weft.model.phase import ApprovalMode, FailureClass, SandboxMode
from weft.model.plan import AgentKind, AgentSpec

SPEC = AgentSpec("claude", AgentKind.CLAUDE)
OK = {"type": "result", "subtype": "success", "is_error": False, "result": "done", "session_id": "s"}


def argv(**options: Any) -> tuple[str, ...]:
    return make_agent(AgentKind.CLAUDE).invocation(ask(AgentKind.CLAUDE, **options)).argv


def read(*events: Mapping[str, object], exit_status: int = 0) -> SessionOutcome:
    reader = make_agent(AgentKind.CLAUDE).reader(ask(AgentKind.CLAUDE))
    for event in events:
        reader.feed(json.dumps(event).encode())
    return reader.outcome(exit_status, "")


def test_it_prints_events_and_talks_to_nobody_else() -> None:
    """Without `--verbose` it refuses to stream; updates and telemetry are off (AGENT-3)."""
    invocation = make_agent(AgentKind.CLAUDE).invocation(ask(AgentKind.CLAUDE))
    assert ("--output-format", "stream-json") in pairs(invocation.argv)
    assert {"-p", "--verbose"} <= set(invocation.argv)
    assert claude.QUIET.items() <= invocation.environment.items()


@pytest.mark.parametrize(
    ("options", "mode", "allowed"),
    [
        ({}, "acceptEdits", ["Bash"]),
        ({"approval_mode": ApprovalMode.AUTO}, "acceptEdits", ["Bash"]),
        ({"approval_mode": ApprovalMode.NONE}, "bypassPermissions", []),
        ({"approval_mode": ApprovalMode.ALWAYS}, "default", []),
        ({"sandbox_mode": SandboxMode.FULL}, "acceptEdits", ["Bash", "Edit", "Write", "NotebookEdit"]),
    ],
)
def test_approval_modes(options: dict[str, object], mode: str, allowed: list[str]) -> None:
    """What is not allowed is refused, since nobody is there to ask (AGENT-2)."""
    found = argv(**options)
    assert ("--permission-mode", mode) in pairs(found)
    after = found[found.index("--allowedTools") + 1 :][: len(allowed)] if allowed else ()
    assert list(after) == allowed


def test_reading_phases_have_no_tool_that_writes() -> None:
    """But commands that only look are allowed: a review needs the diff (AGENT-2)."""
    found = argv(sandbox_mode=SandboxMode.READ_ONLY, approval_mode=ApprovalMode.NONE)
    assert ("--permission-mode", "dontAsk") in pairs(found)
    assert ("--tools", "Read,Grep,Glob,Bash") in pairs(found)
    assert "Bash(git diff *)" in found
    assert "Bash" not in found


def test_root_is_not_given_all_permissions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Claude Code refuses, so Weft says it first (AGENT-2)."""
    monkeypatch.setattr(claude, "is_root", lambda: True)
    wanted = phase(approval_mode=ApprovalMode.NONE)
    assert "refuses to root" in phase_problems(SPEC, wanted)[0]
    assert phase_problems(AgentSpec("claude", AgentKind.CLAUDE, env=("IS_SANDBOX",)), wanted) == []
    monkeypatch.setattr(claude, "is_root", lambda: False)
    assert phase_problems(SPEC, wanted) == []


def test_a_sandbox_is_used_where_its_programs_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where they are not it is said, as Claude Code itself would go on without in silence (AGENT-2)."""
    wanted = phase(sandbox_mode=SandboxMode.WORKSPACE)
    monkeypatch.setattr("weft.agents.claude.shutil.which", lambda name: f"/usr/bin/{name}")
    assert '"failIfUnavailable":true' in "".join(argv(sandbox_mode=SandboxMode.WORKSPACE))
    assert phase_warnings(SPEC, wanted) == []
    monkeypatch.setattr("weft.agents.claude.shutil.which", lambda name: None)
    assert "--settings" not in argv(sandbox_mode=SandboxMode.WORKSPACE)
    assert "`bwrap` and `socat`" in phase_warnings(SPEC, wanted)[0]


def test_reviews_ask_for_a_structured_verdict() -> None:
    """Its answer is read from there, not from prose (RUN-8)."""
    assert "--json-schema" in argv(verdict=True)
    reader = make_agent(AgentKind.CLAUDE).reader(ask(AgentKind.CLAUDE, verdict=True))
    reader.feed(json.dumps({**OK, "structured_output": {"approved": True, "findings": []}}).encode())
    outcome = reader.outcome(0, "")
    assert outcome.verdict is not None
    assert outcome.verdict.approved


def test_a_review_without_a_verdict_is_a_refusal() -> None:
    """What is not a verdict is not approval (RUN-8)."""
    reader = make_agent(AgentKind.CLAUDE).reader(ask(AgentKind.CLAUDE, verdict=True))
    reader.feed(json.dumps({**OK, "result": "Looks good to me"}).encode())
    verdict = reader.outcome(0, "").verdict
    assert verdict is not None
    assert not verdict.approved
    assert "Looks good to me" in verdict.findings[0]


@pytest.mark.parametrize(("status", "used"), [("allowed_warning", 0.9), ("allowed", 0), ("allowed_warning", 1)])
def test_a_warning_of_a_limit_is_no_failure(status: str, used: float) -> None:
    """The request was served; the governor wants to know all the same (AGENT-3)."""
    info = {"status": status, "resetsAt": 1799999999, "rateLimitType": "seven_day", "utilization": used}
    outcome = read({"type": "rate_limit_event", "rate_limit_info": {**info, "overageStatus": "rejected"}}, OK)
    assert outcome.failure is None
    (limit,) = outcome.limits
    assert (limit.status, limit.window, limit.resets_at, limit.used) == (
        LimitStatus(status),
        "seven_day",
        1799999999.0,
        used,
    )


def test_a_rejection_makes_the_failure_one_of_quota() -> None:
    """With the time at which it ends, the latest of all windows (AGENT-4)."""
    events = [
        {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": at, "rateLimitType": name}}
        for at, name in ((1800000000, "five_hour"), (1800009999, "seven_day"))
    ]
    failed = {**OK, "is_error": True, "api_error_status": 429, "result": "You've hit your limit"}
    failure = read(*events, failed, exit_status=1).failure
    assert failure is not None
    assert (failure.kind, failure.resets_at) == (FailureClass.QUOTA, 1800009999.0)


def test_a_rejection_does_not_hide_another_failure() -> None:
    """A refused key stays a refused key (AGENT-4)."""
    limit = {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": 1}}
    failed = {**OK, "is_error": True, "api_error_status": 401, "result": "Invalid API key"}
    failure = read(limit, failed, exit_status=1).failure
    assert failure is not None
    assert failure.kind is FailureClass.AUTH


def test_a_killed_session_counts_what_its_messages_had_used() -> None:
    """Each message once, however many lines it comes in; the cost is unknown, not zero (AGENT-5)."""
    message = {
        "id": "m1",
        "content": [],
        "usage": {"input_tokens": 10, "output_tokens": 1, "cache_read_input_tokens": 4},
    }
    other = {**message, "id": "m2"}
    lines = [{"type": "assistant", "message": one} for one in (message, message, other)]
    usage = read(*lines, exit_status=-15).usage
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens) == (20, 2, 8)
    assert usage.cost_usd is None


def test_what_a_subagent_says_is_not_the_answer() -> None:
    """Only the session's own messages are (AGENT-3)."""
    said = {"type": "assistant", "message": {"id": "m", "content": [{"type": "text", "text": "mine"}]}}
    below = {**said, "parent_tool_use_id": "t", "message": {"id": "n", "content": [{"type": "text", "text": "other"}]}}
    assert read(said, below, exit_status=-9).text == "mine"


def test_what_a_session_may_cost() -> None:
    """It says its cost at its end only, so it is told the limit and stops by itself (BUDGET-2)."""
    request = msgspec.structs.replace(ask(AgentKind.CLAUDE), most_usd=0.5)
    assert ("--max-budget-usd", "0.500000") in pairs(make_agent(AgentKind.CLAUDE).invocation(request).argv)
    assert "--max-budget-usd" not in argv()
    over = {"type": "result", "subtype": "error_max_budget_usd", "is_error": True, "errors": ["Reached maximum budget"]}
    outcome = read(over, exit_status=1)
    assert outcome.failure is not None
    assert outcome.failure.kind is FailureClass.BUDGET
