"""`weft init`: a first weft.toml, and what was found."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import click

from weft.cli.caller import pass_environment
from weft.cli.settings_file import target_in, write_settings
from weft.settings.environment import Environment
from weft.settings.files import OWN_FOLDER
from weft.settings.found_agents import found_agents
from weft.settings.found_gates import found_gates
from weft.settings.starter import Found, starter_text
from weft.sources.folder import FolderSource
from weft.workspaces.git import Git
from weft.workspaces.info_exclude import exclude
from weft.workspaces.repository import RepoFacts, Repository, find_repo

ISSUES = "issues"


@click.command(name="init")
@click.option("--force", is_flag=True, help="Replace a weft.toml that is there.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_environment
def command(environment: Environment, force: bool, as_json: bool) -> None:
    """Write weft.toml for this repo and say what was found."""
    repo, remote = asyncio.run(_repo(environment))
    target = target_in(repo.root, "weft init", force=force)
    found = _look(environment, repo.root, remote)
    write_settings(target, starter_text(found), force=force)
    exclude(repo.common_dir, f"/{OWN_FOLDER}/")
    click.echo(_document(target, found) if as_json else _told(target, found))


async def _repo(environment: Environment) -> tuple[RepoFacts, str | None]:
    git = Git(environment.variables)
    repo = await find_repo(git, environment.folder)
    return repo, next(iter(await Repository(git, repo).remotes()), None)


def _look(environment: Environment, root: Path, remote: str | None) -> Found:
    issues = list(FolderSource(root / ISSUES).files())
    return Found(
        agents=found_agents(environment),
        gates=found_gates(root),
        issues=ISSUES,
        count=len(issues),
        first=issues[0] if issues else None,
        remote=remote,
    )


def _told(target: Path, found: Found) -> str:
    gates = [f"{name}: {gate.command} ({gate.because})" for name, gate in found.gates.items()]
    facts = {
        "agents": ", ".join(found.agents) or "none of claude, codex, gemini, opencode; any program can be one",
        "gates": "; ".join(gates) or "none; set `gates.test`, since nothing passes unchecked",
        "remote": found.remote or "none",
        "issues": f"{found.count} in {found.issues}/"
        if found.count
        else f"none yet; write {found.issues}/1-a-title.md",
    }
    lines = [f"  {name:<7} {text}" for name, text in facts.items()]
    return "\n".join([f"Wrote {target}", *lines, f"Next: {_next(found)}"])


def _next(found: Found) -> str:
    if not found.agents:
        return "set `agent` in weft.toml, or see `weft demo`"
    return f"weft run {found.first}" if found.first else 'weft run "fix the typo in the header"'


def _document(target: Path, found: Found) -> str:
    document = {
        "file": str(target),
        "agents": dict(found.agents),
        "gates": {name: {"command": gate.command, "because": gate.because} for name, gate in found.gates.items()},
        "remote": found.remote,
        "issues": {"path": found.issues, "count": found.count},
    }
    return json.dumps(document, indent=2, ensure_ascii=False)
