"""Agent programs that are installed."""

from __future__ import annotations

import shutil

from weft.agents.registry import AGENTS
from weft.model.plan import AgentKind
from weft.settings.environment import Environment

PROGRAMS = (AgentKind.CLAUDE, AgentKind.CODEX, AgentKind.GEMINI, AgentKind.OPENCODE)
"""In the order in which one is proposed. Each is called what its kind is called."""


def found_agents(environment: Environment) -> dict[str, str]:
    """The programs' paths by agent; only of those that this version can drive."""
    driven = [kind for kind in PROGRAMS if kind in AGENTS]
    found = {kind.value: shutil.which(kind.value, path=environment.search_path) for kind in driven}
    return {name: path for name, path in found.items() if path}
