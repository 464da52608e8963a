"""OpenCode: `opencode run --format json`.

Two that make its database at the same time fail, so each job has one of its own (AGENT-8) for all its sessions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from weft.agents import events
from weft.agents.environment import session_environment
from weft.agents.failures import classify
from weft.agents.fields import Fields, kind_of
from weft.agents.options import (
    ALIAS_NAMES,
    READING_COMMANDS,
    Reach,
    common_problems,
    file_in,
    model_of,
    program_of,
    reach_of,
)
from weft.agents.resets import reset_in
from weft.agents.session_reader import SessionReader
from weft.errors import ProcessError
from weft.model.outcome import Failure
from weft.model.phase import ApprovalMode, FailureClass, Phase, SandboxMode
from weft.model.plan import AgentSpec
from weft.model.usage import Usage
from weft.ports import Invocation, Reader, SessionRequest

CONFIG = "OPENCODE_CONFIG_CONTENT"
OWN_VARIABLES = (
    *("OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", CONFIG, "OPENCODE_API_KEY", "OPENROUTER_API_KEY"),
    *("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"),
)
QUIET = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
FLAGS = ("--format", "--model", "--session")

_PERMISSIONS = ("edit", "bash", "webfetch", "external_directory")
_GATED_TOOLS = ("write", "edit", "patch", "apply_patch", "bash", "webfetch")
_REFUSED = ("permission", "rejected", "denied")


class OpencodeAgent:
    def invocation(self, request: SessionRequest) -> Invocation:
        phase, spec = request.phase, request.agent
        argv = [*program_of(spec), "run", "--format", "json"]
        if model := model_of(request):
            argv += ["-m", model]
        if request.resume:
            argv += ["-s", request.resume.session_id]
        files: dict[Path, str] = {}
        environment = session_environment(request, OWN_VARIABLES) | QUIET
        config = _given(environment) | {"autoupdate": False, "share": "disabled", "permission": _permission(phase)}
        if phase.system_prompt:
            told = file_in(request, "instructions.md")
            files[Path(told)] = phase.system_prompt
            config["instructions"] = [*config.get("instructions", []), told]
        if phase.max_turns is not None:
            config["agent"] = {**config.get("agent", {}), "build": {"steps": phase.max_turns}}
        environment[CONFIG] = json.dumps(config)
        environment["OPENCODE_DB"] = str(Path(file_in(request, "x")).parents[1] / "opencode.db")
        return Invocation((*argv, *spec.args), environment, stdin=request.prompt_file, files=files)

    def reader(self, request: SessionRequest) -> Reader:
        return SessionReader(request.phase, OpencodeEvents())

    def resumes(self, spec: AgentSpec) -> bool:
        return True


def validate(spec: AgentSpec) -> list[str]:
    return common_problems(spec) + _alias(spec.model)


def refusals(spec: AgentSpec, phase: Phase) -> list[str]:
    return _alias(phase.model)


def cautions(spec: AgentSpec, phase: Phase) -> list[str]:
    said = []
    if phase.sandbox_mode is SandboxMode.WORKSPACE:
        said.append(
            "`sandbox_mode` is `workspace`: the file tools of OpenCode stay there, its commands are not held there"
        )
    if phase.max_tokens is not None:
        said.append("`max_tokens` has no effect: OpenCode has no such limit")
    return said


def _alias(model: str | None) -> list[str]:
    if model not in ALIAS_NAMES:
        return []
    return [
        f"`model` is `{model}`: OpenCode serves many providers; hint: name one, as in `anthropic/claude-sonnet-4-5`"
    ]


def _given(environment: Mapping[str, str]) -> dict[str, Any]:
    """What the user set for all sessions stays."""
    try:
        config = json.loads(environment.get(CONFIG) or "{}")
    except ValueError as error:
        raise ProcessError(f"`{CONFIG}` is not JSON: {error}") from error
    if not isinstance(config, dict):
        raise ProcessError(f"`{CONFIG}` is not a JSON object")
    return config


def _permission(phase: Phase) -> dict[str, Any]:
    """Nobody is there to ask: what is not allowed is denied."""
    match reach_of(phase), phase.approval_mode:
        case (Reach.READ, _) | (_, ApprovalMode.ALWAYS):
            reading = {"*": "deny"} | {f"{command}*": "allow" for command in READING_COMMANDS}
            return dict.fromkeys(_PERMISSIONS, "deny") | {"bash": reading}
        case Reach.WORKSPACE, _:
            return dict.fromkeys(_PERMISSIONS, "allow") | {"external_directory": "deny"}
        case _:
            return dict.fromkeys(_PERMISSIONS, "allow")


class OpencodeEvents:
    """OpenCode's events as Weft's. It has no event for the end: the last step says why it stopped."""

    def __init__(self) -> None:
        self._session_id = ""

    def __call__(self, line: bytes) -> Iterator[events.AgentEvent]:
        kind = kind_of(line)
        if kind not in ("step_start", "text", "tool_use", "step_finish", "error"):
            return
        event = Fields.of(line)
        if not self._session_id and event.text("sessionID"):
            self._session_id = event.text("sessionID")
            yield events.Started(self._session_id)
        yield from _event(kind, event)


def _event(kind: str, event: Fields) -> Iterator[events.AgentEvent]:
    part = event.inner("part")
    match kind:
        case "text":
            yield events.Message(part.text("text"))
        case "tool_use":
            yield events.ToolCall(part.text("tool"))
            yield from _denied(part.text("tool"), part.inner("state"))
        case "step_finish":
            yield events.Spent(_usage(part))
            yield from _end(part.text("reason"))
        case "error":
            yield _failed(event.inner("error"))


def _denied(tool: str, state: Fields) -> Iterator[events.AgentEvent]:
    """A tool that is denied as a whole is not there: to call it is to call an `invalid` one."""
    wanted = state.inner("input").text("tool")
    if tool == "invalid" and wanted in _GATED_TOOLS:
        yield events.Denied(wanted)
    elif state.text("status") == "error" and any(word in state.text("error").lower() for word in _REFUSED):
        yield events.Denied(tool or "a tool")


def _end(reason: str) -> Iterator[events.AgentEvent]:
    if reason == "stop":
        yield events.Finished()
    elif reason in ("length", "content-filter", "error"):
        yield events.Finished(Failure(FailureClass.WORK, f"the model's answer ended early: {reason}"))


def _failed(error: Fields) -> events.Finished:
    data = error.inner("data")
    words = data.text("message") or error.text("name") or "failed"
    status = data.number("statusCode")
    return events.Finished(Failure(classify(int(status) if status else None, words), words, reset_in(words)), text="")


def _usage(part: Fields) -> Usage:
    """A cost of nothing for tokens that were used is one it does not know."""
    tokens = part.inner("tokens")
    cache = tokens.inner("cache")
    cost = part.number("cost")
    return Usage(
        tokens.count("input") + cache.count("write"),
        tokens.count("output") + tokens.count("reasoning"),
        cache.count("read"),
        cost if cost and cost > 0 else None,
        sessions=1,
    )
