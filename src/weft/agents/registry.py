"""Which agent kinds there are; each module is imported when one of its kind is asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType

from weft.errors import UsageError
from weft.model.phase import Phase
from weft.model.plan import AgentKind, AgentSpec
from weft.ports import Agent

AGENTS = {
    AgentKind.COMMAND: "weft.agents.command:CommandAgent",
    AgentKind.SCRIPTED: "weft.agents.scripted:ScriptedAgent",
    AgentKind.CLAUDE: "weft.agents.claude:ClaudeAgent",
    AgentKind.CODEX: "weft.agents.codex:CodexAgent",
    AgentKind.GEMINI: "weft.agents.gemini:GeminiAgent",
    AgentKind.OPENCODE: "weft.agents.opencode:OpencodeAgent",
}


def make_agent(kind: AgentKind) -> Agent:
    """The adapter of this kind; UsageError where this version has none."""
    module, factory = _found(kind)
    agent: Agent = getattr(module, factory)()
    return agent


def agent_problems(spec: AgentSpec) -> list[str]:
    """Everything wrong with an agent's settings, said before anything starts."""
    try:
        module, _ = _found(spec.kind)
    except UsageError as error:
        return [error.message]
    problems: list[str] = module.validate(spec)
    return problems


def phase_problems(spec: AgentSpec, phase: Phase) -> list[str]:
    """What the phase asks of the agent that it cannot do at all (AGENT-2)."""
    module, _ = _found(spec.kind)
    problems: list[str] = module.refusals(spec, phase)
    return problems


def phase_warnings(spec: AgentSpec, phase: Phase) -> list[str]:
    """What the phase asks for that the agent does in part or not at all, and that is no reason not to start."""
    module, _ = _found(spec.kind)
    warnings: list[str] = module.cautions(spec, phase)
    return warnings


@cache
def _found(kind: AgentKind) -> tuple[ModuleType, str]:
    entry = AGENTS.get(kind)
    if entry is None:
        known = ", ".join(f"`{kind.value}`" for kind in AGENTS)
        raise UsageError(f"agent kind `{kind.value}` is not available in this version", hint=f"there is {known}")
    module, _, factory = entry.partition(":")
    return import_module(module), factory
