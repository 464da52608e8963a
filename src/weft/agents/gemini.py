"""Gemini CLI: `gemini -o stream-json`, its prompt on stdin."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from weft.agents import events
from weft.agents.environment import session_environment
from weft.agents.failures import classify
from weft.agents.fields import Fields, kind_of
from weft.agents.options import READING_COMMANDS, Reach, common_problems, file_in, model_of, program_of, reach_of
from weft.agents.resets import reset_in
from weft.agents.session_reader import SessionReader
from weft.errors import ProcessError
from weft.model.outcome import Failure
from weft.model.phase import ApprovalMode, FailureClass, Phase, SandboxMode
from weft.model.plan import AgentSpec
from weft.model.usage import Usage
from weft.ports import Invocation, Reader, SessionRequest

SYSTEM_SETTINGS = "GEMINI_CLI_SYSTEM_SETTINGS_PATH"
OWN_VARIABLES = (
    *("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_GENAI_USE_VERTEXAI"),
    *("GOOGLE_GENAI_USE_GCA", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_APPLICATION_CREDENTIALS"),
    *("GEMINI_CLI_HOME", SYSTEM_SETTINGS),
)
FIXED = {
    "GEMINI_CLI_NO_RELAUNCH": "true",  # the process that would relaunch it ignores signals
    "GEMINI_CLI_TRUST_WORKSPACE": "true",
}
FLAGS = ("--output-format", "--model", "--approval-mode", "--policy", "--resume")
NOISE = (
    *("Warning: ", "YOLO mode is enabled", "Ripgrep is not available", "[STARTUP]", "    at ", "Loaded cached"),
    "Error executing tool",
)
GATED_TOOLS = ("write_file", "replace", "run_shell_command", "web_fetch", "google_web_search", "save_memory")

_API_CODE = re.compile(r'"code":\s*(\d{3})\b')
_TURNS = "FatalTurnLimitedError"


class GeminiAgent:
    def invocation(self, request: SessionRequest) -> Invocation:
        phase, spec = request.phase, request.agent
        environment = session_environment(request, OWN_VARIABLES) | FIXED
        argv = [*program_of(spec), "-o", "stream-json", "--approval-mode", _approval(phase)]
        files: dict[Path, str] = {}
        if reach_of(phase) is Reach.READ:
            policy = Path(file_in(request, "reading.toml"))
            files[policy] = _READING
            argv += ["--policy", str(policy)]
        if model := model_of(request):
            argv += ["-m", model]
        if request.resume:
            argv += ["--resume", request.resume.session_id]
        if instructions := _instructions(phase):
            told = Path(file_in(request, "GEMINI.md"))
            files[told] = instructions
            argv += ["--include-directories", str(told.parent)]
        files |= _settings(request, environment)
        return Invocation((*argv, *spec.args), environment, stdin=request.prompt_file, files=files)

    def reader(self, request: SessionRequest) -> Reader:
        return SessionReader(request.phase, GeminiEvents(), noise=NOISE)

    def resumes(self, spec: AgentSpec) -> bool:
        return True


def validate(spec: AgentSpec) -> list[str]:
    return common_problems(spec)


def refusals(spec: AgentSpec, phase: Phase) -> list[str]:
    return []


def cautions(spec: AgentSpec, phase: Phase) -> list[str]:
    said = []
    if phase.sandbox_mode is SandboxMode.WORKSPACE:
        said.append(
            "`sandbox_mode` is `workspace`: the file tools of Gemini CLI stay there, its commands are not held there"
        )
    if phase.sandbox_mode is SandboxMode.FULL:
        said.append("`sandbox_mode` is `full`: the file tools of Gemini CLI stay in the workspace all the same")
    if phase.max_tokens is not None:
        said.append("`max_tokens` has no effect: Gemini CLI has no such limit")
    return said


def _approval(phase: Phase) -> str:
    """In `default` what would be asked for is refused, as nobody is there; `yolo` is its only mode with commands."""
    refused = reach_of(phase) is Reach.READ or phase.approval_mode is ApprovalMode.ALWAYS
    return "default" if refused else "yolo"


def _instructions(phase: Phase) -> str:
    """Its shell sets an external diff program without a name, of which plain `git diff` dies."""
    hint = "Plain `git diff` fails in this shell: run `git diff --no-ext-diff`, without a pipe.\n"
    return "\n\n".join(filter(None, (phase.system_prompt, hint if reach_of(phase) is Reach.READ else "")))


_READING = "".join(
    f'[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "{command}"\ndecision = "allow"\npriority = 500\n\n'
    for command in READING_COMMANDS
)


def _settings(request: SessionRequest, environment: dict[str, str]) -> dict[Path, str]:
    """Settings of this session alone, as the system's, which come before the user's. An administrator's are kept."""
    wanted = _wanted(request.phase, environment)
    path = Path(file_in(request, "settings.json"))
    reason = _why_not(path, environment)
    if reason is None:
        environment[SYSTEM_SETTINGS] = str(path)
        return {path: json.dumps(wanted, indent=1)}
    if request.phase.max_turns is not None:
        raise ProcessError(
            f"`max_turns` cannot be told to Gemini CLI: {reason}", hint="leave it out; `timeout` ends a session"
        )
    return {}


def _wanted(phase: Phase, environment: Mapping[str, str]) -> dict[str, Any]:
    wanted: dict[str, Any] = {
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
    }
    if phase.max_turns is not None:
        wanted["model"] = {"maxSessionTurns": phase.max_turns}
    if "GOOGLE_GEMINI_BASE_URL" in environment and "GEMINI_API_KEY" in environment:
        # With an address of its own it takes the key for another kind of login, which it then refuses.
        wanted["security"] = {"auth": {"selectedType": "gemini-api-key"}}
    return wanted


def _why_not(path: Path, environment: Mapping[str, str]) -> str | None:
    """Why the CLI would not read settings at this path, or must not."""
    present = environment.get(SYSTEM_SETTINGS) or "/etc/gemini-cli/settings.json"
    if Path(present).exists():
        return f"`{present}` is an administrator's and stays in force"
    for folder in path.parents:
        if folder.exists() and folder.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return f"others may write to `{folder}`, so it takes no settings from below"
    return None


class GeminiEvents:
    """Gemini's events as Weft's."""

    def __init__(self) -> None:
        self._calls: dict[str, str] = {}
        self._error = ""
        self._loop = ""

    def __call__(self, line: bytes) -> Iterator[events.AgentEvent]:
        match kind_of(line):
            case "init":
                yield events.Started(Fields.of(line).text("session_id"))
            case "message":
                yield from _message(Fields.of(line))
            case "tool_use":
                yield self._tool_use(Fields.of(line))
            case "tool_result":
                yield from self._tool_result(Fields.of(line))
            case "error":
                yield self._trouble(Fields.of(line))
            case "result":
                event = Fields.of(line)
                yield events.Total(_usage(event.inner("stats")))
                yield self._finished(event)

    def _tool_use(self, event: Fields) -> events.AgentEvent:
        if len(self._calls) > 100:
            self._calls.clear()
        self._calls[event.text("tool_id")] = event.text("tool_name")
        return events.ToolCall(event.text("tool_name"))

    def _tool_result(self, event: Fields) -> Iterator[events.AgentEvent]:
        """In its default mode tools that would need approval are not there at all."""
        tool = self._calls.pop(event.text("tool_id"), "")
        reason = event.inner("error").text("type")
        if reason == "policy_violation" or (reason == "tool_not_registered" and tool in GATED_TOOLS):
            yield events.Denied(tool or "a tool")

    def _trouble(self, event: Fields) -> events.AgentEvent:
        message = event.text("message")
        if event.text("severity") == "error":
            self._error = message
        elif message.startswith("Loop detected"):
            self._loop = message
        return events.Trouble(message)

    def _finished(self, event: Fields) -> events.Finished:
        if event.text("status") == "success":
            return events.Finished(Failure(FailureClass.WORK, self._loop) if self._loop else None)
        error = event.inner("error")
        words = error.text("message") or self._error or "failed"
        if error.text("type") == _TURNS:
            return events.Finished(Failure(FailureClass.WORK, words))
        code = _API_CODE.search(words)
        return events.Finished(Failure(classify(int(code[1]) if code else None, words), words, reset_in(words)))


def _message(event: Fields) -> Iterator[events.AgentEvent]:
    if event.text("role") == "assistant":
        text = event.text("content")
        yield events.Fragment(text) if event.flag("delta") else events.Message(text)


def _usage(stats: Fields) -> Usage:
    """What the model thought is in the total alone."""
    cached = stats.count("cached")
    sent = stats.count("input_tokens")
    output = max(stats.count("output_tokens"), stats.count("total_tokens") - sent)
    return Usage(max(0, sent - cached), output, cached, sessions=1)
