"""A first `weft.toml`, with what was found in the repo and on the machine."""

from __future__ import annotations

import json
from collections.abc import Mapping

import msgspec

from weft.settings.found_gates import GATE_NAMES, FoundGate

_COLUMN = 36
_OWN_AGENT = (
    "",
    "# Any program can be an agent: it finds its prompt on stdin, works in the current folder, and succeeds with exit",
    "# status 0. `WEFT_JOB`, `WEFT_PHASE` and `WEFT_ISSUE_FILE` tell it what it is about.",
    "# [agents.mine]",
    '# kind = "command"',
    '# argv = ["./agent.sh", "{phase}"]',
)


class Found(msgspec.Struct, frozen=True):
    """What was found."""

    agents: Mapping[str, str]
    gates: Mapping[str, FoundGate]
    issues: str
    """The folder of issues, there or not yet."""
    count: int
    """How many issues it has."""
    first: str | None = None
    remote: str | None = None
    github: str | None = None
    """`owner/name` on GitHub, where issues are to come from there."""
    api_url: str | None = None
    """Of a GitHub Enterprise server."""


def starter_text(found: Found) -> str:
    """The file's text. What was not found is there as a comment, so that the reader sees what to fill in."""
    lines = [
        "# Weft's settings for this repo. `weft config show` prints every setting and where it came from.",
        _agent(found),
        "",
        "[run]",
        _noted("concurrency = 3", "how many issues are worked on at once"),
        _noted("quality_loop = 3", "how often work goes back to its author when qa finds fault"),
        "",
        "[issues]",
        *_issues(found),
        "",
        _noted("[gates]", 'run by Weft on what an agent made; "" skips one'),
        *(_gate(name, found.gates.get(name)) for name in GATE_NAMES),
        'timeout = "20m"',
        "",
        _noted("[workspace]", "worktrees have no .venv, node_modules or .env of their own"),
        _noted('setup = ""', 'runs once per worktree, such as "npm ci"'),
        _noted("copy = []", 'from this checkout, such as [".env"]'),
        _noted("link = []", 'from this checkout, such as ["node_modules"]'),
        *([] if found.agents else _OWN_AGENT),
    ]
    return "\n".join(lines) + "\n"


def _agent(found: Found) -> str:
    if not found.agents:
        return _noted('# agent = "mine"', "claude, codex, gemini, opencode (none was found), or one of your own, below")
    return _noted(f"agent = {json.dumps(next(iter(found.agents)))}", f"found: {', '.join(found.agents)}")


def _issues(found: Found) -> list[str]:
    path = _noted(f"path = {json.dumps(found.issues)}", f"{found.issues}/101-add-login.md, {found.issues}/102.md …")
    if found.github is None:
        return ['source = "folder"', path]
    enterprise = [f"api_url = {json.dumps(found.api_url)}"] if found.api_url else []
    return [
        _noted('source = "github"', "passed branches become pull requests there"),
        _noted(f"repo = {json.dumps(found.github)}", f"from the remote {found.remote}"),
        *enterprise,
    ]


def _gate(name: str, gate: FoundGate | None) -> str:
    if gate is None:
        return _noted(f'# {name} = ""', "none was found")
    return _noted(f"{name} = {json.dumps(gate.command)}", f"found in {gate.because}")


def _noted(line: str, note: str) -> str:
    return f"{line:<{_COLUMN}} # {note}"
