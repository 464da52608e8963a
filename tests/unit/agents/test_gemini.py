"""Gemini CLI: its command line, its settings and its events (AGENT-2, AGENT-3)."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.unit.agents.built_in import ask, pairs

from weft.agents.gemini import FIXED, SYSTEM_SETTINGS
from weft.agents.registry import make_agent
from weft.errors import ProcessError
from weft.model.outcome import SessionOutcome
from weft.model.phase import ApprovalMode, FailureClass, SandboxMode
from weft.model.plan import AgentKind
from weft.ports import Invocation

OWN = Path("/nowhere/job/exec-1.agent")


def invocation(**options: Any) -> Invocation:
    return make_agent(AgentKind.GEMINI).invocation(ask(AgentKind.GEMINI, **options))


def read(*events: Mapping[str, object], exit_status: int = 0) -> SessionOutcome:
    reader = make_agent(AgentKind.GEMINI).reader(ask(AgentKind.GEMINI))
    for event in events:
        reader.feed(json.dumps(event).encode())
    return reader.outcome(exit_status, "")


@pytest.mark.parametrize(
    ("options", "mode"),
    [
        ({}, "yolo"),
        ({"approval_mode": ApprovalMode.NONE}, "yolo"),
        ({"approval_mode": ApprovalMode.ALWAYS}, "default"),
        ({"writes": False}, "default"),
        ({"sandbox_mode": SandboxMode.READ_ONLY, "approval_mode": ApprovalMode.AUTO}, "default"),
    ],
)
def test_approval_modes(options: dict[str, object], mode: str) -> None:
    """Without a person its default mode has no tool that changes anything (AGENT-2)."""
    assert ("--approval-mode", mode) in pairs(invocation(**options).argv)


def test_reading_phases_may_look() -> None:
    """By a policy of their own, for commands that only read (AGENT-2)."""
    asked = invocation(sandbox_mode=SandboxMode.READ_ONLY)
    policy = OWN / "reading.toml"
    assert ("--policy", str(policy)) in pairs(asked.argv)
    rules = tomllib.loads(asked.files[policy])["rule"]
    assert {rule["commandPrefix"] for rule in rules} >= {"git diff", "git log"}
    assert all(rule["commandPrefix"].startswith("git ") and rule["decision"] == "allow" for rule in rules)


def test_it_dies_when_it_is_told_to() -> None:
    """The process that would relaunch it takes no notice of signals (AGENT-6)."""
    assert FIXED.items() <= invocation().environment.items()
    assert FIXED["GEMINI_CLI_NO_RELAUNCH"] == "true"


def test_its_settings_are_of_this_session() -> None:
    """No updates, no statistics, and the limit of turns (AGENT-2)."""
    asked = invocation(max_turns=7)
    settings = json.loads(asked.files[Path(asked.environment[SYSTEM_SETTINGS])])
    assert settings["model"]["maxSessionTurns"] == 7
    assert settings["general"]["enableAutoUpdate"] is False
    assert settings["privacy"]["usageStatisticsEnabled"] is False
    assert "security" not in settings


def test_a_key_for_another_address_is_a_key() -> None:
    """It would take the two for a login that it then refuses."""
    given = {"GEMINI_API_KEY": "k", "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:1"}
    asked = invocation(environment=given)
    settings = json.loads(asked.files[OWN / "settings.json"])
    assert settings["security"]["auth"]["selectedType"] == "gemini-api-key"


def test_an_administrators_settings_stay_in_force(tmp_path: Path) -> None:
    """They are not replaced by Weft's; what then cannot be told is an error, not dropped (AGENT-2)."""
    theirs = tmp_path / "settings.json"
    theirs.write_text("{}")
    given = {SYSTEM_SETTINGS: str(theirs)}
    asked = invocation(environment=given)
    assert asked.environment[SYSTEM_SETTINGS] == str(theirs)
    assert OWN / "settings.json" not in asked.files
    with pytest.raises(ProcessError, match="administrator"):
        invocation(environment=given, max_turns=3)


def test_a_folder_that_others_may_write_to_is_told(tmp_path: Path) -> None:
    """It takes no settings from below one, in silence but for a warning (AGENT-2)."""
    tmp_path.chmod(0o777)
    assert SYSTEM_SETTINGS not in invocation(folder=tmp_path / "exec-1.agent").environment
    with pytest.raises(ProcessError, match="others may write"):
        invocation(folder=tmp_path / "exec-1.agent", max_turns=3)


def test_pieces_of_a_message_are_one_until_a_tool_comes_between() -> None:
    """The answer is what follows the last tool (AGENT-3)."""
    piece = {"type": "message", "role": "assistant", "delta": True}
    outcome = read(
        {"type": "init", "session_id": "s"},
        {**piece, "content": "I will "},
        {**piece, "content": "look"},
        {"type": "tool_use", "tool_name": "read_file", "tool_id": "1"},
        {"type": "tool_result", "tool_id": "1", "status": "success"},
        {**piece, "content": "All "},
        {**piece, "content": "done"},
        {"type": "result", "status": "success", "stats": {}},
    )
    assert outcome.failure is None
    assert outcome.text == "All done"


def test_a_tool_that_does_not_exist_is_not_a_refusal() -> None:
    """A model may call what there never was; what needs approval is not there either, and that is one (AGENT-3)."""
    missing = {"status": "error", "error": {"type": "tool_not_registered", "message": "no"}}
    outcome = read(
        {"type": "tool_use", "tool_name": "make_coffee", "tool_id": "1"},
        {"type": "tool_result", "tool_id": "1", **missing},
        {"type": "tool_use", "tool_name": "write_file", "tool_id": "2"},
        {"type": "tool_result", "tool_id": "2", **missing},
    )
    assert outcome.denied == ("write_file",)


def test_a_loop_is_a_failure_whatever_the_status() -> None:
    """It stops itself and calls that a success (AGENT-4)."""
    outcome = read(
        {"type": "init", "session_id": "s"},
        {"type": "error", "severity": "warning", "message": "Loop detected, stopping execution"},
        {"type": "result", "status": "success", "stats": {}},
    )
    assert outcome.failure is not None
    assert outcome.failure.kind is FailureClass.WORK
