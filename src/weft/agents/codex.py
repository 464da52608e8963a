"""Codex CLI: `codex exec --json`. Its sandbox makes `.git` read-only, which is as well: Weft commits."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from signal import Signals

from weft.agents import events
from weft.agents.environment import session_environment
from weft.agents.failures import classify
from weft.agents.fields import Fields, kind_of
from weft.agents.options import (
    VERDICT_SCHEMA,
    Reach,
    common_problems,
    file_in,
    located,
    model_of,
    program_of,
    reach_of,
    too_long,
)
from weft.agents.resets import reset_in
from weft.agents.session_reader import SessionReader
from weft.model.outcome import Failure
from weft.model.phase import ApprovalMode, Phase
from weft.model.plan import AgentSpec
from weft.model.usage import NO_USAGE, Usage
from weft.ports import Invocation, Reader, SessionRequest

OWN_VARIABLES = ("OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_HOME", "CODEX_CA_CERTIFICATE")
FLAGS = ("--json", "--skip-git-repo-check", "--sandbox", "--model", "--output-schema", "--config", "--disable")
"""What the `--help` of `codex exec` must know."""
NOISE = ("WARNING: proceeding", "Reading additional input", "Reading prompt from stdin")

_QUIET = (
    *("-c", "check_for_update_on_startup=false", "-c", "analytics.enabled=false"),
    *("--disable", "plugins"),  # they are fetched from the network at every start
    *("--disable", "unbounded_connection_retries"),  # without it a refused connection never ends
)
_SANDBOXES = {Reach.READ: "read-only", Reach.WORKSPACE: "workspace-write", Reach.FULL: "danger-full-access"}
_TOOLS = ("command_execution", "file_change", "mcp_tool_call", "web_search")


class CodexAgent:
    def invocation(self, request: SessionRequest) -> Invocation:
        phase, spec = request.phase, request.agent
        environment = session_environment(request, OWN_VARIABLES)
        # What comes before the word `resume` is not taken after it, and a resumed session forgets its sandbox.
        argv = [*native_program(spec, environment), "exec", "-s", _SANDBOXES[reach_of(phase)]]
        if request.resume:
            argv.append("resume")
        argv += ["--json", "--skip-git-repo-check", *_QUIET]
        if model := model_of(request):
            argv += ["-m", model]
        if phase.system_prompt:
            argv += ["-c", f"developer_instructions={_toml_text(phase.system_prompt)}"]
        files: dict[Path, str] = {}
        if phase.verdict:
            schema = file_in(request, "verdict.schema.json")
            files[Path(schema)] = VERDICT_SCHEMA
            argv += ["--output-schema", schema]
        argv += spec.args
        if request.resume:
            argv.append(request.resume.session_id)
        gentle = Signals.SIGINT  # handled, where SIGTERM kills it on the spot
        return Invocation((*argv, "-"), environment, stdin=request.prompt_file, files=files, gentle=gentle)

    def reader(self, request: SessionRequest) -> Reader:
        before = request.resume.usage if request.resume else NO_USAGE
        return SessionReader(request.phase, CodexEvents(before), noise=NOISE)

    def resumes(self, spec: AgentSpec) -> bool:
        return True


def validate(spec: AgentSpec) -> list[str]:
    return common_problems(spec)


def refusals(spec: AgentSpec, phase: Phase) -> list[str]:
    problems = too_long(phase)
    if phase.approval_mode is ApprovalMode.ALWAYS and reach_of(phase) is not Reach.READ:
        problems.append(
            "`approval_mode` is `always`, but Codex without a terminal never asks; hint: `sandbox_mode` says what it "
            "may do"
        )
    return problems


def cautions(spec: AgentSpec, phase: Phase) -> list[str]:
    said = []
    if phase.max_turns is not None:
        said.append("`max_turns` has no effect: Codex has no such limit; hint: `timeout` ends a session")
    if phase.max_tokens is not None:
        said.append("`max_tokens` has no effect: Codex has no such limit")
    return said


def native_program(spec: AgentSpec, environment: Mapping[str, str]) -> tuple[str, ...]:
    """The program itself where npm installed it: the script around it does not die with a signal to itself alone."""
    found = located(spec, environment)
    if found is None:
        return program_of(spec)
    package = Path(found).resolve().parents[1]
    inside = package.parent.glob("codex-*/vendor/*/bin/codex")
    beside = package.glob("node_modules/@openai/codex-*/vendor/*/bin/codex")
    native = next((path for path in (*inside, *beside) if package.name == "codex"), None)
    return (str(native or found), *program_of(spec)[1:])


def _toml_text(text: str) -> str:
    """A JSON text is a basic string of TOML, once no character stands for half of one."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


class CodexEvents:
    """Codex's events as Weft's. `before` is what a resumed thread had used: its usage goes on counting from there."""

    def __init__(self, before: Usage = NO_USAGE) -> None:
        self._before = before

    def __call__(self, line: bytes) -> Iterator[events.AgentEvent]:
        match kind_of(line):
            case "thread.started":
                yield events.Started(Fields.of(line).text("thread_id"))
            case "item.started" | "item.completed":
                yield from _item(Fields.of(line).inner("item"))
            case "error":
                yield events.Trouble(Fields.of(line).text("message"))
            case "turn.completed":
                yield events.Total(self._usage(Fields.of(line).inner("usage")))
                yield events.Finished()
            case "turn.failed":
                yield _failed(Fields.of(line).inner("error").text("message"))

    def _usage(self, usage: Fields) -> Usage:
        cached = usage.count("cached_input_tokens")
        fresh = max(0, usage.count("input_tokens") - cached)
        return Usage(
            max(0, fresh - self._before.input_tokens),
            max(0, usage.count("output_tokens") - self._before.output_tokens),
            max(0, cached - self._before.cached_tokens),
            sessions=1,
        )


def _item(item: Fields) -> Iterator[events.AgentEvent]:
    match item.text("type"):
        case "agent_message" if item.text("text"):
            yield events.Message(item.text("text"))
        case tool if tool in _TOOLS:
            yield events.ToolCall(tool)


def _failed(message: str) -> events.Finished:
    words = _inner_message(message) or message or "failed"
    kind = classify(None, message)
    return events.Finished(Failure(kind, words, reset_in(words)), text="")


def _inner_message(message: str) -> str:
    """Some errors are the provider's answer as it came."""
    return Fields.of(message.encode("utf-8", "replace")).inner("error").text("message")
