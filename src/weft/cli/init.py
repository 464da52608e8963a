"""`weft init`: a first weft.toml, and what was found."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path

import click

from weft.cli.caller import pass_environment
from weft.errors import UsageError
from weft.settings.environment import Environment
from weft.settings.files import FILE_NAME, OWN_FOLDER
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
    target = _target(repo.root, force=force)
    found = _look(environment, repo.root, remote)
    _write(target, starter_text(found), force=force)
    exclude(repo.common_dir, f"/{OWN_FOLDER}/")
    click.echo(_document(target, found) if as_json else _told(target, found))


async def _repo(environment: Environment) -> tuple[RepoFacts, str | None]:
    git = Git(environment.variables)
    repo = await find_repo(git, environment.folder)
    return repo, next(iter(await Repository(git, repo).remotes()), None)


def _target(root: Path, *, force: bool) -> Path:
    """The file to write: the one that is there, where it may be replaced."""
    there = [path for path in (root / FILE_NAME, root / OWN_FOLDER / FILE_NAME) if path.exists()]
    if there and not force:
        raise UsageError(f"`{there[0]}` exists", hint="`weft init --force` replaces it; `weft config show` shows it")
    return there[0] if there else root / FILE_NAME


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


def _write(target: Path, text: str, *, force: bool) -> None:
    """Written aside and moved into place; a file that appeared meanwhile is not written over."""
    aside = target.with_name(f".{target.name}.new")
    try:
        aside.write_text(text, "utf-8")
        if not force:
            target.touch(exist_ok=False)
        aside.replace(target)
    except OSError as error:
        with suppress(OSError):
            aside.unlink(missing_ok=True)
        raise UsageError(f"`{target}`: cannot be written: {error.strerror}") from None


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
