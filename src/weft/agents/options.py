"""The options that all agents share (AGENT-2), as the adapters need them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from enum import Enum

from weft.agents.command import environment_problems
from weft.errors import ProcessError
from weft.model.phase import ApprovalMode, Phase, SandboxMode
from weft.model.plan import AgentKind, AgentSpec
from weft.ports import SessionRequest

ALIASES: Mapping[AgentKind, Mapping[str, str]] = {
    AgentKind.CLAUDE: {"fast": "haiku", "balanced": "sonnet", "best": "opus"},
    AgentKind.CODEX: {"fast": "gpt-6-luna", "balanced": "gpt-6.1-sol", "best": "gpt-6-astra"},
    AgentKind.GEMINI: {"fast": "flash-lite", "balanced": "flash", "best": "pro"},
    AgentKind.OPENCODE: {},
}
"""What each agent calls a model of that kind."""
ALIAS_NAMES = ("fast", "balanced", "best")

VERDICT_SCHEMA = (
    '{"type":"object","properties":{"approved":{"type":"boolean"},"findings":{"type":"array","items":'
    '{"type":"string"}}},"required":["approved","findings"],"additionalProperties":false}'
)
READING_COMMANDS = ("git diff", "git log", "git show", "git status", "git blame")
"""What a reviewer must be able to run where nothing may be changed."""
LONGEST_ARGUMENT = 120 * 1024
"""Linux takes 128 KiB in one argument, whatever the sum of all may be."""


class Reach(Enum):
    """How far a session may act: what `sandbox_mode` comes to."""

    READ = "read"
    WORKSPACE = "workspace"
    FULL = "full"


def reach_of(phase: Phase) -> Reach:
    """By default a phase that is to write may do so in its workspace, and one that is told to go ahead too."""
    match phase.sandbox_mode:
        case SandboxMode.READ_ONLY:
            return Reach.READ
        case SandboxMode.WORKSPACE:
            return Reach.WORKSPACE
        case SandboxMode.FULL:
            return Reach.FULL
        case SandboxMode.DEFAULT:
            acts = phase.writes or phase.approval_mode in (ApprovalMode.AUTO, ApprovalMode.NONE)
            return Reach.WORKSPACE if acts else Reach.READ


def model_of(request: SessionRequest) -> str | None:
    """The model by the agent's own name for it; None leaves it to the agent."""
    model = request.phase.model or request.agent.model
    return ALIASES[request.agent.kind].get(model, model) if model else None


def program_of(spec: AgentSpec) -> tuple[str, ...]:
    """What is called: `argv` where settings give one, else the program of the agent's name."""
    return spec.argv or (spec.kind.value,)


def located(spec: AgentSpec, environment: Mapping[str, str]) -> str | None:
    """Where the program is, on the session's own search path."""
    return shutil.which(program_of(spec)[0], path=environment.get("PATH"))


def common_problems(spec: AgentSpec) -> list[str]:
    """What is wrong with any built-in agent's settings."""
    problems = environment_problems(spec)
    if spec.argv and not spec.argv[0].strip():
        problems.append("`argv` must name a program")
    if any("\0" in argument for argument in (*spec.argv, *spec.args)):
        problems.append("an argument holds a NUL character, which no program can be given")
    if spec.script is not None:
        problems.append(f'`script` means nothing for an agent of kind `{spec.kind.value}`; hint: `kind = "scripted"`')
    return problems


def too_long(phase: Phase) -> list[str]:
    """A system prompt that does not fit where it goes."""
    size = len((phase.system_prompt or "").encode())
    if size <= LONGEST_ARGUMENT:
        return []
    return [f"`system_prompt` has {size} bytes, more than fit in an argument; hint: put it into the prompt"]


def is_root() -> bool:
    return os.geteuid() == 0


def file_in(request: SessionRequest, name: str) -> str:
    """The path of a file that the program is given."""
    if request.folder is None:
        raise ProcessError(f"{request.attempt} has no folder for `{name}`, which its agent needs")
    return str(request.folder / name)
