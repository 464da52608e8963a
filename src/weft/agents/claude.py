"""Claude Code: `claude -p` with a stream of JSON events."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from signal import Signals

from weft.agents import events
from weft.agents.environment import session_environment
from weft.agents.failures import classify
from weft.agents.fields import Fields, kind_of
from weft.agents.options import (
    READING_COMMANDS,
    VERDICT_SCHEMA,
    Reach,
    common_problems,
    is_root,
    model_of,
    program_of,
    reach_of,
    too_long,
)
from weft.agents.session_reader import SessionReader
from weft.model.limits import LimitStatus, RateLimit
from weft.model.outcome import Failure
from weft.model.phase import ApprovalMode, FailureClass, Phase, SandboxMode
from weft.model.plan import AgentSpec
from weft.model.usage import NO_USAGE, Usage
from weft.ports import Invocation, Reader, SessionRequest

OWN_VARIABLES = (
    *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS"),
    *("CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"),
    *("CLAUDE_CODE_MAX_RETRIES", "API_TIMEOUT_MS"),
)
QUIET = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
FLAGS = (
    *("--output-format", "--verbose", "--permission-mode", "--allowedTools", "--tools", "--model", "--resume"),
    *("--append-system-prompt", "--json-schema", "--settings"),
)
"""What its `--help` must know. `--max-turns` works too and is not listed there."""

_READING_TOOLS = "Read,Grep,Glob,Bash"
_SANDBOX_PROGRAMS = ("bwrap", "socat")
_SANDBOX = '{"sandbox":{"enabled":true,"failIfUnavailable":true,"autoAllowBashIfSandboxed":true}}'
_ABORTED = ("aborted_tools", "aborted_streaming")
_BROKE = "error_during_execution"
_OVER_BUDGET = "error_max_budget_usd"
_EPOCH = re.compile(r"\|(\d{10})\b")


class ClaudeAgent:
    def invocation(self, request: SessionRequest) -> Invocation:
        phase, spec = request.phase, request.agent
        argv = [*program_of(spec), "-p", "--output-format", "stream-json", "--verbose", *_permissions(phase)]
        if model := model_of(request):
            argv += ["--model", model]
        if phase.max_turns is not None:
            argv += ["--max-turns", str(phase.max_turns)]
        if request.most_usd is not None:
            argv += ["--max-budget-usd", f"{request.most_usd:.6f}"]
        if phase.system_prompt:
            argv.append(f"--append-system-prompt={phase.system_prompt}")
        if phase.verdict:
            argv += ["--json-schema", VERDICT_SCHEMA]
        if request.resume:
            argv += ["--resume", request.resume.session_id]
        environment = session_environment(request, OWN_VARIABLES) | QUIET
        if phase.max_tokens is not None:
            environment["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] = str(phase.max_tokens)
        # Only by SIGINT does it end the tool that runs, say what the session has cost, and leave it to be resumed.
        return Invocation((*argv, *spec.args), environment, stdin=request.prompt_file, gentle=Signals.SIGINT)

    def reader(self, request: SessionRequest) -> Reader:
        return SessionReader(request.phase, ClaudeEvents(resumed=request.resume is not None))

    def resumes(self, spec: AgentSpec) -> bool:
        return True


def validate(spec: AgentSpec) -> list[str]:
    return common_problems(spec)


def refusals(spec: AgentSpec, phase: Phase) -> list[str]:
    """What it cannot do and must not be asked for."""
    problems = too_long(phase)
    bypass = phase.approval_mode is ApprovalMode.NONE and reach_of(phase) is not Reach.READ
    if bypass and is_root() and "IS_SANDBOX" not in spec.env:
        problems.append(
            "`approval_mode` is `none`, which Claude Code refuses to root; hint: use `auto`, or in a container set "
            'IS_SANDBOX=1 and `env = ["IS_SANDBOX"]`'
        )
    return problems


def cautions(spec: AgentSpec, phase: Phase) -> list[str]:
    """What it does less well than asked."""
    missing = [name for name in _SANDBOX_PROGRAMS if shutil.which(name) is None]
    if phase.sandbox_mode is SandboxMode.WORKSPACE and missing:
        names = " and ".join(f"`{name}`" for name in missing)
        return [
            (
                f"`sandbox_mode` is `workspace`, but {names} is not installed: edits stay in the workspace, "
                "commands are not held there; hint: install bubblewrap and socat"
            )
        ]
    return []


def _permissions(phase: Phase) -> list[str]:
    reach = reach_of(phase)
    if reach is Reach.READ:
        reading = [f"Bash({command} *)" for command in READING_COMMANDS]
        return ["--permission-mode", "dontAsk", "--tools", _READING_TOOLS, "--allowedTools", *reading]
    confined = ["--settings", _SANDBOX] if _can_confine(phase) else []
    match phase.approval_mode:
        case ApprovalMode.ALWAYS:  # nobody is there to ask, so what would be asked for is refused
            return ["--permission-mode", "default", *confined]
        case ApprovalMode.NONE:
            return ["--permission-mode", "bypassPermissions", *confined]
        case ApprovalMode.DEFAULT | ApprovalMode.AUTO:
            anywhere = ["Edit", "Write", "NotebookEdit"] if reach is Reach.FULL else []
            return ["--permission-mode", "acceptEdits", "--allowedTools", "Bash", *anywhere, *confined]


def _can_confine(phase: Phase) -> bool:
    return phase.sandbox_mode is SandboxMode.WORKSPACE and all(map(shutil.which, _SANDBOX_PROGRAMS))


class ClaudeEvents:
    """Claude's events as Weft's. Knows what was counted before, so that each message counts once."""

    def __init__(self, resumed: bool = False) -> None:
        self._resumed = resumed
        self._counted = ""
        self._total = NO_USAGE

    def __call__(self, line: bytes) -> Iterator[events.AgentEvent]:
        match kind_of(line):
            case "assistant":
                yield from self._assistant(Fields.of(line))
            case "system":
                yield from _system(Fields.of(line))
            case "rate_limit_event":
                yield from _limit(Fields.of(line).inner("rate_limit_info"))
            case "result":
                yield from self._result(Fields.of(line))

    def _assistant(self, event: Fields) -> Iterator[events.AgentEvent]:
        message = event.inner("message")
        parts = [Fields(part) for part in message.listed("content")]
        text = "".join(part.text("text") for part in parts if part.text("type") == "text")
        if event.flag("is_api_error_message"):
            yield events.Trouble(text)
        elif text and not event.text("parent_tool_use_id"):  # what a subagent says is not the answer
            yield events.Message(text)
        for part in parts:
            if part.text("type") == "tool_use":
                yield events.ToolCall(part.text("name"))
        if message.text("id") and message.text("id") != self._counted:  # one message may come in several lines
            self._counted = message.text("id")
            yield events.Spent(_message_usage(message.inner("usage")))

    def _result(self, event: Fields) -> Iterator[events.AgentEvent]:
        yield events.Started(event.text("session_id"))
        for denial in event.listed("permission_denials"):
            yield events.Denied(Fields(denial).text("tool_name") or "a tool")
        self._total += self._usage(event)
        yield events.Total(self._total)
        yield _finished(event)

    def _usage(self, event: Fields) -> Usage:
        """Of this run: `total_cost_usd` and `modelUsage` go on counting where the session was resumed."""
        models = event.inner("model_usage_since_last_result").values()
        if models:
            return _sum_of(models)
        usage = _message_usage(event.inner("usage"))
        cost = None if self._resumed else event.number("total_cost_usd")
        return Usage(usage.input_tokens, usage.output_tokens, usage.cached_tokens, cost, sessions=1)


def _sum_of(models: list[Fields]) -> Usage:
    costs = [model.number("costUSD") for model in models]
    return Usage(
        sum(model.count("inputTokens") + model.count("cacheCreationInputTokens") for model in models),
        sum(model.count("outputTokens") for model in models),
        sum(model.count("cacheReadInputTokens") for model in models),
        None if any(cost is None or cost < 0 for cost in costs) else sum(cost or 0.0 for cost in costs),
        sessions=1,
    )


def _message_usage(usage: Fields) -> Usage:
    written = usage.count("input_tokens") + usage.count("cache_creation_input_tokens")
    return Usage(written, usage.count("output_tokens"), usage.count("cache_read_input_tokens"), sessions=1)


def _system(event: Fields) -> Iterator[events.AgentEvent]:
    match event.text("subtype"):
        case "init":
            yield events.Started(event.text("session_id"))
        case "permission_denied":
            yield events.Denied(event.text("tool_name") or "a tool")
        case "api_retry":
            status = event.number("error_status")
            yield events.Trouble(f"{event.text('error')} {int(status) if status else ''}".strip())


def _limit(info: Fields) -> Iterator[events.AgentEvent]:
    try:
        status = LimitStatus(info.text("status"))
    except ValueError:
        return
    window = info.text("rateLimitType") or "account"
    yield events.Limited(RateLimit(status, window, info.number("resetsAt"), info.number("utilization")))


def _finished(event: Fields) -> events.Finished:
    if not event.flag("is_error") and event.text("subtype") == "success":
        return events.Finished(text=event.text("result"), answer=event.raw("structured_output"))
    told = [error for error in event.listed("errors") if isinstance(error, str)]
    words = event.text("result") or "\n".join(told) or event.text("subtype") or "failed"
    if event.text("terminal_reason") in _ABORTED:
        return events.Finished(Failure(FailureClass.KILLED, f"was interrupted: {words}"))
    if event.text("subtype") == _BROKE and not event.text("terminal_reason"):
        return events.Finished(Failure(FailureClass.SETUP, words), text="")  # it never began
    if event.text("subtype") == _OVER_BUDGET:
        return events.Finished(Failure(FailureClass.BUDGET, words), text=event.text("result"))
    status = event.number("api_error_status")
    reset = _EPOCH.search(words)
    kind = classify(int(status) if status else None, words)
    return events.Finished(Failure(kind, words, float(reset[1]) if reset else None), text=event.text("result"))
