"""How to tell, without spending a token, whether an agent's program is there, fits and is logged in (AGENT-9)."""

from __future__ import annotations

from importlib import import_module

import msgspec

from weft.agents.registry import AGENTS
from weft.model.plan import AgentKind


class ProgramCheck(msgspec.Struct, frozen=True):
    """What to ask a program. `keys` and `files` say that it is logged in; `login` ends with status 0 if it is."""

    help: tuple[str, ...]
    keys: tuple[str, ...]
    log_in: str
    """What a user runs to log in."""
    install: str
    login: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """Under the user's home."""
    note: str = ""
    """What Weft does so that several at once are safe (AGENT-8)."""


CHECKS = {
    AgentKind.CLAUDE: ProgramCheck(
        help=("--help",),
        keys=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
        login=("auth", "status"),
        log_in="claude auth login",
        install="npm install -g @anthropic-ai/claude-code",
        note="sessions share the user's folder, which is safe",
    ),
    AgentKind.CODEX: ProgramCheck(
        help=("exec", "--help"),
        keys=("CODEX_API_KEY",),
        login=("login", "status"),
        log_in="codex login",
        install="npm install -g @openai/codex",
        note="sessions share the user's folder, which is safe",
    ),
    AgentKind.GEMINI: ProgramCheck(
        help=("--help",),
        keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        files=(".gemini/oauth_creds.json",),
        log_in="gemini",
        install="npm install -g @google/gemini-cli",
        note="sessions share the user's folder, which is safe; each has settings of its own above the user's",
    ),
    AgentKind.OPENCODE: ProgramCheck(
        help=("run", "--help"),
        keys=("OPENCODE_API_KEY", "OPENROUTER_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"),
        files=(".local/share/opencode/auth.json",),
        log_in="opencode auth login",
        install="npm install -g opencode-ai",
        note="each job has a database of its own, as two that make one at the same time fail",
    ),
}


def flags_used(kind: AgentKind) -> tuple[str, ...]:
    """The options of the program that the adapter relies on."""
    flags: tuple[str, ...] = import_module(AGENTS[kind].partition(":")[0]).FLAGS
    return flags


def own_variables(kind: AgentKind) -> tuple[str, ...]:
    names: tuple[str, ...] = import_module(AGENTS[kind].partition(":")[0]).OWN_VARIABLES
    return names
