"""clinvk's `~/.clinvk/config.yaml` in Weft's terms."""

from __future__ import annotations

from weft.assembly.import_draft import Draft
from weft.pipelines.duration import duration_text

_AGENTS = ("claude", "codex", "gemini")
_PHASES = ("spec", "exec", "qa")
_NOT_THERE = {
    r"unified_flags\.(verbose|dry_run|output_format)": "a flag of the command line: `--verbose`, `--dry-run`, `--json`",
    r"session": "Weft keeps what a session cost and said by itself, see `weft stats` and `weft logs`",
    r"output": "`--json`, `--quiet` and `NO_COLOR` say how it is shown",
    r"server": "Weft has no server for prompts",
}


def read_clinvk(draft: Draft) -> None:
    default = draft.get("default_backend")
    draft.move("default_backend", "agent")
    for name in ("max_workers", "fail_fast", "aggregate_output"):
        draft.move(f"parallel.{name}", f"parallel.{name}")
    _limits(draft)
    _modes(draft, str(default or "claude"))
    for name in draft.names("backends"):
        _backend(draft, name, is_default=name == (default or "claude"))
    days = draft.take("session.retention_days")
    if isinstance(days, int) and days > 0:
        draft.put("session.retention_days", "state.keep", f"{days}d")
    for pattern, reason in _NOT_THERE.items():
        draft.leave_all(pattern, reason)


def _limits(draft: Draft) -> None:
    """0 means no limit there, and is left out here."""
    for name in ("max_turns", "max_tokens"):
        most = draft.take(f"unified_flags.{name}")
        if most:
            for phase in _PHASES:
                draft.put(f"unified_flags.{name}", f"phases.{phase}.{name}", most)
    seconds = draft.take("unified_flags.command_timeout_secs")
    if isinstance(seconds, int) and seconds > 0:
        draft.put("unified_flags.command_timeout_secs", "parallel.timeout", duration_text(float(seconds)))


def _modes(draft: Draft, default: str) -> None:
    """What an agent may do, for the phase that writes; a backend's own word goes before the one for all."""
    for name in ("approval_mode", "sandbox_mode"):
        for_all, own = draft.take(f"unified_flags.{name}"), draft.take(f"backends.{default}.{name}")
        if own or for_all:
            key = f"backends.{default}.{name}" if own else f"unified_flags.{name}"
            draft.put(key, f"phases.exec.{name}", own or for_all)


def _backend(draft: Draft, name: str, *, is_default: bool) -> None:
    at = f"backends.{name}"
    if name not in _AGENTS:
        draft.leave_all(rf"backends\.{name}", "Weft has no such agent built in; any program can be one")
        return
    draft.move(f"{at}.model", f"agents.{name}.model")
    flags, tools, prompt = (draft.take(f"{at}.{key}") for key in ("extra_flags", "allowed_tools", "system_prompt"))
    if flags:
        draft.put(f"{at}.extra_flags", f"agents.{name}.args", flags)
    if tools and tools != "all":
        draft.leave(f"{at}.allowed_tools", tools, "give it in the agent's `args`")
    if prompt and is_default:
        draft.put(f"{at}.system_prompt", "phases.exec.system_prompt", prompt)
    elif prompt:
        draft.leave(f"{at}.system_prompt", prompt, "a system prompt is a phase's: `phases.exec.system_prompt`")
    if draft.take(f"{at}.enabled") is False:
        draft.leave(f"{at}.enabled", False, "an agent that no setting and no task names is not used")
    for key in ("approval_mode", "sandbox_mode"):
        if value := draft.take(f"{at}.{key}"):
            draft.leave(f"{at}.{key}", value, f"it is a phase's or a task's: `phases.exec.{key}`")
