"""Codex: its command line and its program (AGENT-2, AGENT-6)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.unit.agents.built_in import HERE, ask, pairs, phase

from weft.agents.codex import native_program
from weft.agents.options import VERDICT_SCHEMA
from weft.agents.registry import make_agent, phase_problems
from weft.model.phase import ApprovalMode, SandboxMode
from weft.model.plan import AgentKind, AgentSpec
from weft.ports import Earlier, Invocation

SPEC = AgentSpec("codex", AgentKind.CODEX)


def invocation(**options: Any) -> Invocation:
    return make_agent(AgentKind.CODEX).invocation(ask(AgentKind.CODEX, **options))


@pytest.mark.parametrize(
    ("options", "sandbox"),
    [
        ({}, "workspace-write"),
        ({"writes": False}, "read-only"),
        ({"sandbox_mode": SandboxMode.READ_ONLY}, "read-only"),
        ({"sandbox_mode": SandboxMode.WORKSPACE, "writes": False}, "workspace-write"),
        ({"sandbox_mode": SandboxMode.FULL}, "danger-full-access"),
    ],
)
def test_its_sandbox_is_always_named(options: dict[str, object], sandbox: str) -> None:
    """Without a name it would be the user's configuration, or read-only (AGENT-2)."""
    assert ("-s", sandbox) in pairs(invocation(**options).argv)


def test_the_sandbox_is_named_before_resume() -> None:
    """After that word it is not taken, and a resumed session forgets what it had (AGENT-2)."""
    argv = invocation(resume=Earlier("thread-1")).argv
    assert argv.index("-s") < argv.index("resume") < argv.index("--json")
    assert argv[-2:] == ("thread-1", "-")


def test_the_prompt_comes_from_stdin() -> None:
    """`-` says so; a pipe that stays open would hang it for ever, a file does not (TASK-14)."""
    assert invocation().argv[-1] == "-"


def test_it_fetches_nothing_of_its_own() -> None:
    """No update, no analytics, no plugins; and a refused connection ends (AGENT-3)."""
    argv = invocation().argv
    assert ("--disable", "plugins") in pairs(argv)
    assert ("--disable", "unbounded_connection_retries") in pairs(argv)
    assert {"check_for_update_on_startup=false", "analytics.enabled=false"} <= set(argv)


@pytest.mark.parametrize("text", ['Say "hi"\nand \\ more', "ünïcode 🏴", "tab\tand bell\x07 and del\x7f"])
def test_a_system_prompt_is_a_toml_text(text: str) -> None:
    """Whatever it holds, it is read back as it was (AGENT-2)."""
    argv = invocation(system_prompt=text).argv
    (setting,) = [one for one in argv if one.startswith("developer_instructions=")]
    assert tomllib.loads(setting)["developer_instructions"] == text


def test_reviews_ask_for_a_structured_verdict() -> None:
    """By a file with its schema, written before it starts (RUN-8)."""
    asked = invocation(verdict=True)
    schema = HERE / "exec-1.agent" / "verdict.schema.json"
    assert ("--output-schema", str(schema)) in pairs(asked.argv)
    assert asked.files == {schema: VERDICT_SCHEMA}


def test_it_cannot_ask() -> None:
    """So `always` is refused, where it would make a difference (AGENT-2)."""
    assert "never asks" in phase_problems(SPEC, phase(approval_mode=ApprovalMode.ALWAYS))[0]
    reading = phase(approval_mode=ApprovalMode.ALWAYS, sandbox_mode=SandboxMode.READ_ONLY)
    assert phase_problems(SPEC, reading) == []


def make(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("where", ["codex-linux-x64", "codex/node_modules/@openai/codex-linux-x64"])
def test_the_native_program_is_called_where_npm_put_it(tmp_path: Path, where: str) -> None:
    """The script around it survives what is meant for it (AGENT-6)."""
    packages = tmp_path / "lib" / "node_modules" / "@openai"
    script = make(packages / "codex" / "bin" / "codex.js")
    native = make(packages / where / "vendor" / "x86_64-unknown-linux-musl" / "bin" / "codex")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "codex").symlink_to(script)
    assert native_program(SPEC, {"PATH": str(tmp_path / "bin")}) == (str(native),)


def test_any_other_codex_is_called_as_it_is(tmp_path: Path) -> None:
    """Installed by other means, or not at all: then the start says so."""
    other = make(tmp_path / "bin" / "codex")
    assert native_program(SPEC, {"PATH": str(tmp_path / "bin")}) == (str(other),)
    assert native_program(SPEC, {"PATH": str(tmp_path / "empty")}) == ("codex",)
