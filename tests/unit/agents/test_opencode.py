"""OpenCode: its configuration and its events (AGENT-2, AGENT-3, AGENT-8)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from tests.unit.agents.built_in import HERE, ask

from weft.agents.registry import make_agent
from weft.errors import ProcessError
from weft.model.outcome import SessionOutcome
from weft.model.phase import ApprovalMode, FailureClass, SandboxMode
from weft.model.plan import AgentKind


def config(**options: Any) -> dict[str, Any]:
    asked = make_agent(AgentKind.OPENCODE).invocation(ask(AgentKind.OPENCODE, **options))
    found: dict[str, Any] = json.loads(asked.environment["OPENCODE_CONFIG_CONTENT"])
    return found


def read(*events: Mapping[str, object], exit_status: int = 0) -> SessionOutcome:
    reader = make_agent(AgentKind.OPENCODE).reader(ask(AgentKind.OPENCODE))
    for event in events:
        reader.feed(json.dumps({"sessionID": "s", **event}).encode())
    return reader.outcome(exit_status, "")


def test_what_it_may_do_is_written_out() -> None:
    """By default it would do anything without asking (AGENT-2)."""
    writing = config()["permission"]
    assert (writing["edit"], writing["bash"], writing["external_directory"]) == ("allow", "allow", "deny")
    assert config(sandbox_mode=SandboxMode.FULL)["permission"]["external_directory"] == "allow"


@pytest.mark.parametrize(
    "options", [{"sandbox_mode": SandboxMode.READ_ONLY}, {"approval_mode": ApprovalMode.ALWAYS}, {"writes": False}]
)
def test_reading_phases_may_look_and_no_more(options: dict[str, object]) -> None:
    """Commands that only read are allowed one by one (AGENT-2)."""
    permission = config(**options)["permission"]
    assert permission["edit"] == "deny"
    assert permission["bash"]["*"] == "deny"
    assert permission["bash"]["git diff*"] == "allow"


def test_the_users_own_configuration_stays() -> None:
    """Weft's keys are added to it (AGENT-2)."""
    given = {"OPENCODE_CONFIG_CONTENT": '{"provider": {"mine": {}}, "instructions": ["a.md"]}'}
    found = config(environment=given, system_prompt="Be kind")
    assert found["provider"] == {"mine": {}}
    assert found["instructions"] == ["a.md", str(HERE / "exec-1.agent" / "instructions.md")]
    assert found["autoupdate"] is False


@pytest.mark.parametrize("text", ["{", "[]"])
def test_a_configuration_that_is_none_is_told(text: str) -> None:
    """By its name, before it starts."""
    with pytest.raises(ProcessError, match="OPENCODE_CONFIG_CONTENT"):
        config(environment={"OPENCODE_CONFIG_CONTENT": text})


def test_each_job_has_a_database_of_its_own() -> None:
    """Two that make one at the same time fail; a job's sessions share it, to be resumed (AGENT-8)."""
    asked = make_agent(AgentKind.OPENCODE).invocation(ask(AgentKind.OPENCODE))
    assert asked.environment["OPENCODE_DB"] == str(HERE / "opencode.db")


def test_the_last_step_says_that_it_is_over() -> None:
    """There is no other word of it: a step that wants tools is not the last (AGENT-4)."""
    step = {"type": "step_finish", "part": {"reason": "tool-calls", "tokens": {"input": 5}}}
    unfinished = read({"type": "text", "part": {"text": "hm"}}, step).failure
    assert unfinished is not None
    assert unfinished.kind is FailureClass.BAD_OUTPUT
    last = {"type": "step_finish", "part": {"reason": "stop", "tokens": {"input": 5}, "cost": 0.5}}
    outcome = read(step, {"type": "text", "part": {"text": "done"}}, last)
    assert outcome.failure is None
    assert (outcome.text, outcome.usage.input_tokens, outcome.usage.cost_usd) == ("done", 10, None)


@pytest.mark.parametrize("reason", ["length", "content-filter", "error"])
def test_an_answer_that_ended_early_is_a_failure(reason: str) -> None:
    """Though its exit status is 0 (AGENT-4)."""
    outcome = read({"type": "text", "part": {"text": "half"}}, {"type": "step_finish", "part": {"reason": reason}})
    assert outcome.failure is not None
    assert reason in outcome.failure.message


def test_refused_tools_are_told() -> None:
    """Denied by rule, or not there because denied as a whole (AGENT-3)."""
    by_rule = {"tool": "bash", "state": {"status": "error", "error": "The user rejected permission to use this tool"}}
    not_there = {"tool": "invalid", "state": {"status": "completed", "input": {"tool": "write", "error": "x"}}}
    made_up = {"tool": "invalid", "state": {"status": "completed", "input": {"tool": "coffee", "error": "x"}}}
    failed = {"tool": "read", "state": {"status": "error", "error": "no such file"}}
    outcome = read(*({"type": "tool_use", "part": part} for part in (by_rule, not_there, made_up, failed)))
    assert outcome.denied == ("bash", "write")
