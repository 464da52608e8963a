"""sequant's `.sequant/settings.json` in Weft's terms."""

from __future__ import annotations

from typing import Any

from weft.assembly.import_draft import Draft
from weft.pipelines.duration import duration_text

PHASES = ("spec", "exec", "qa")
"""Those that both have; sequant's others are part of these in Weft, or not there."""
_AGENTS = {"claude-code": "claude", "claude": "claude", "codex": "codex", "opencode": "opencode", "gemini": "gemini"}
_SANDBOXES = {"read-only": "read-only", "workspace-write": "workspace", "danger-full-access": "full"}
_ROLES = {"fast": "sonnet", "strong": "opus", "frontier": "fable"}
"""sequant's own, where its settings say nothing."""
_NOT_THERE = {
    r"run\.(logJson|logPath|rotation)": "Weft keeps one journal for all runs, see `weft logs` and `state.keep`",
    r"run\.autoDetectPhases": "every issue goes through the whole pipeline; `--phases` runs a part of it",
    r"run\.smartTests|run\.pmRun": "set `gates.test` and the like; without them Weft finds them in the repo",
    r"run\.(mcp|mcpAllowlist)": "an agent's MCP servers are its own settings",
    r"run\.autoWaitMinutes": "Weft waits for the end of a limit by itself",
    r"run\.staleBranchThreshold": "a branch starts at its base anew in every run",
    r"run\.resolvedIssueTTL": "Weft shows runs, see `state.keep`",
    r"run\.devUrl": "agents are not told of a development server",
    r"run\.relay": "a session cannot be talked to while it works",
    r"run\.(effortEscalation|modelLadder)": "a phase has one model",
    r"run\.autoMerge": "`run.merge` says what becomes of a branch",
    r"run\.fullQa": "qa is always whole",
    r"run\.aider": 'any program can be an agent: `[agents.aider]` with `kind = "command"`',
    r"run\.codex\.networkAccess|run\.opencode\.(variant|reasoningMaxTokens)": "give it in the agent's `args`",
    r"agents": "an agent's own helpers are its own settings",
    r"scopeAssessment|qa|ready": "Weft's gates are commands and a review, without thresholds",
}


def read_sequant(draft: Draft) -> None:
    draft.skip("version", "$schema")
    draft.put("", "issues.source", "github")
    draft.put("", "locks.also", [".sequant/locks"])
    draft.move("run.concurrency", "run.concurrency")
    draft.move("run.sequential", "run.sequential")
    draft.move("run.retry", "run.retry")
    draft.move("run.defaultBase", "run.base")
    _quality_loop(draft)
    _timeout(draft)
    _agent(draft)
    _phases(draft)
    for pattern, reason in _NOT_THERE.items():
        draft.leave_all(pattern, reason)


def _quality_loop(draft: Draft) -> None:
    """sequant says in two keys whether and how often."""
    wanted, most = draft.take("run.qualityLoop"), draft.take("run.maxIterations")
    if wanted is False:
        draft.put("run.qualityLoop", "run.quality_loop", 0)
    elif most is not None:
        draft.put("run.maxIterations", "run.quality_loop", most)


def _timeout(draft: Draft) -> None:
    seconds = draft.take("run.timeout")
    if isinstance(seconds, int | float) and not isinstance(seconds, bool):
        for phase in PHASES:
            draft.put("run.timeout", f"phases.{phase}.timeout", duration_text(float(seconds)))
    elif seconds is not None:
        draft.leave("run.timeout", seconds, "must be a number of seconds")


def _agent(draft: Draft) -> None:
    driver = draft.take("run.agent")
    agent = _AGENTS.get(str(driver))
    if agent:
        draft.put("run.agent", "agent", agent)
    elif driver is not None:
        draft.leave("run.agent", driver, "Weft has no such agent built in; any program can be one, see `[agents.NAME]`")
    for name in ("codex", "opencode"):
        draft.move(f"run.{name}.model", f"agents.{name}.model")
        draft.move(f"run.{name}.extraArgs", f"agents.{name}.args")
    sandbox = draft.take("run.codex.sandboxMode")
    if sandbox is not None and agent == "codex":
        draft.put("run.codex.sandboxMode", "phases.exec.sandbox_mode", _SANDBOXES.get(str(sandbox), sandbox))
    elif sandbox is not None:
        draft.leave("run.codex.sandboxMode", sandbox, "a sandbox is a phase's: `phases.exec.sandbox_mode`")


def _phases(draft: Draft) -> None:
    roles = {**_ROLES, **{name: draft.take(f"run.modelRoles.{name}") for name in draft.names("run.modelRoles")}}
    for phase in draft.names("run.phases"):
        key = f"run.phases.{phase}.model"
        model = _model(draft.take(key), roles)
        if model is not None and phase in PHASES:
            draft.put(key, f"phases.{phase}.model", model)
        elif model is not None:
            draft.leave(key, model, f"Weft's pipeline has no phase `{phase}`")
        draft.leave_all(rf"run\.phases\.{phase}\.effort", "give it in the agent's `args`")


def _model(text: Any, roles: dict[str, Any]) -> Any:
    role = str(text).removeprefix("role:")
    return roles.get(role, text) if str(text).startswith("role:") else text
