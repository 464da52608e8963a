"""`weft init`: a first weft.toml, and what was found."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import click
import msgspec

from weft.cli.caller import pass_environment
from weft.cli.settings_file import target_in, write_settings
from weft.errors import UsageError
from weft.settings.environment import Environment
from weft.settings.files import OWN_FOLDER
from weft.settings.found_agents import found_agents
from weft.settings.found_gates import found_gates
from weft.settings.starter import Found, starter_text
from weft.sources.folder import FolderSource
from weft.sources.github.repo import PUBLIC_API, repo_of_remote
from weft.workspaces.git import Git
from weft.workspaces.info_exclude import exclude
from weft.workspaces.repository import RepoFacts, Repository, find_repo

ISSUES = "issues"


@click.command(name="init")
@click.option("--force", is_flag=True, help="Replace a weft.toml that is there.")
@click.option(
    "--github/--no-github",
    default=None,
    help="Take issues from the remote, also one on a GitHub Enterprise server (default: from github.com, "
    "unless there are issues in a folder).",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_environment
def command(environment: Environment, force: bool, github: bool | None, as_json: bool) -> None:
    """Write weft.toml for this repo and say what was found."""
    repo, remotes = asyncio.run(_repo(environment))
    target = target_in(repo.root, "weft init", force=force)
    found = _with_github(_look(environment, repo.root, remotes), remotes, github)
    write_settings(target, starter_text(found), force=force)
    exclude(repo.common_dir, f"/{OWN_FOLDER}/")
    click.echo(_document(target, found) if as_json else _told(target, found))


async def _repo(environment: Environment) -> tuple[RepoFacts, Mapping[str, str]]:
    """And its remotes: addresses by name."""
    git = Git(environment.variables)
    repo = await find_repo(git, environment.folder)
    repository = Repository(git, repo)
    return repo, {name: await repository.remote_url(name) for name in await repository.remotes()}


def _with_github(found: Found, remotes: Mapping[str, str], wanted: bool | None) -> Found:
    """The first remote on GitHub. Whether another host is an Enterprise server, only the user can say."""
    if wanted is False or (wanted is None and found.count):
        return found
    for name, url in remotes.items():
        repo = repo_of_remote(url)
        if repo is not None and (wanted or repo.api_url == PUBLIC_API):
            api_url = None if repo.api_url == PUBLIC_API else repo.api_url
            return msgspec.structs.replace(found, remote=name, github=repo.full_name, api_url=api_url)
    if wanted:
        raise UsageError("no remote is a repo on GitHub", hint="git remote add origin https://github.com/owner/name")
    return found


def _look(environment: Environment, root: Path, remotes: Mapping[str, str]) -> Found:
    issues = list(FolderSource(root / ISSUES).files())
    return Found(
        agents=found_agents(environment),
        gates=found_gates(root),
        issues=ISSUES,
        count=len(issues),
        first=issues[0] if issues else None,
        remote=next(iter(remotes), None),
    )


def _told(target: Path, found: Found) -> str:
    gates = [f"{name}: {gate.command} ({gate.because})" for name, gate in found.gates.items()]
    facts = {
        "agents": ", ".join(found.agents) or "none of claude, codex, gemini, opencode; any program can be one",
        "gates": "; ".join(gates) or "none; set `gates.test`, since nothing passes unchecked",
        "remote": found.remote or "none",
        "issues": _issues(found),
    }
    lines = [f"  {name:<7} {text}" for name, text in facts.items()]
    return "\n".join([f"Wrote {target}", *lines, f"Next: {_next(found)}"])


def _issues(found: Found) -> str:
    if found.github:
        return f"{found.github} on GitHub; `weft doctor` checks the token"
    return f"{found.count} in {found.issues}/" if found.count else f"none yet; write {found.issues}/1-a-title.md"


def _next(found: Found) -> str:
    if not found.agents:
        return "set `agent` in weft.toml, or see `weft demo`"
    if found.github:
        return "weft doctor, then weft run with the number of an issue"
    return f"weft run {found.first}" if found.first else 'weft run "fix the typo in the header"'


def _document(target: Path, found: Found) -> str:
    document = {
        "file": str(target),
        "agents": dict(found.agents),
        "gates": {name: {"command": gate.command, "because": gate.because} for name, gate in found.gates.items()},
        "remote": found.remote,
        "issues": {"path": found.issues, "count": found.count},
        "github": found.github,
    }
    return json.dumps(document, indent=2, ensure_ascii=False)
