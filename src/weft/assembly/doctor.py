"""`weft doctor`: what a run needs, each thing looked at, with the way to mend it. No token is spent."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

from weft.assembly.doctor_agents import examine_agents
from weft.assembly.doctor_finding import PATIENCE, Finding, Health
from weft.assembly.doctor_github import examine_github
from weft.assembly.pipeline import default_agent, run_pipeline
from weft.errors import WeftError
from weft.model.layout import Layout
from weft.processes import capture
from weft.settings.environment import Environment
from weft.settings.load import Loaded, load
from weft.stores.sqlite import SqliteJournal

OLDEST_GIT = (2, 31)
LITTLE_SPACE = 5 * 2**30
TOO_LITTLE_SPACE = 512 * 2**20


async def examine(environment: Environment) -> list[Finding]:
    """Everything at once; each check answers for itself."""
    loaded, settings = _settings(environment)
    git, agents, github = await asyncio.gather(
        _git(environment), examine_agents(environment, loaded), examine_github(environment, loaded)
    )
    return [git, settings, *github, *_state(environment), _disk(environment), *agents, _sandbox(environment)]


async def _git(environment: Environment) -> Finding:
    hint = f"install git {OLDEST_GIT[0]}.{OLDEST_GIT[1]} or newer"
    try:
        done = await capture(("git", "--version"), cwd=Path("/"), env=environment.variables, timeout=PATIENCE)
    except (WeftError, TimeoutError) as error:
        return Finding("git", Health.PROBLEM, f"git does not run: {error}", hint)
    said = done.stdout.decode("utf-8", "replace").strip()
    numbers = [int(part) for part in said.rpartition(" ")[2].split(".")[:2] if part.isdecimal()]
    if tuple(numbers) < OLDEST_GIT:
        return Finding("git", Health.PROBLEM, f"{said or 'no version'} is too old", hint)
    return Finding("git", Health.OK, said)


def _settings(environment: Environment) -> tuple[Loaded | None, Finding]:
    try:
        loaded = load(environment)
        run_pipeline(loaded, None, default_agent(loaded.settings))
    except WeftError as error:
        return None, Finding("settings", Health.PROBLEM, error.message, error.hint or "`weft config show` shows them")
    if loaded.file is None:
        hint = "`weft init` in a repo writes weft.toml"
        return loaded, Finding("settings", Health.NOTE, "no weft.toml here, so defaults hold", hint)
    return loaded, Finding("settings", Health.OK, str(loaded.file))


def _state(environment: Environment) -> list[Finding]:
    """The folder and the database in it; neither is made by looking."""
    folder = environment.state_folder
    there = _existing(folder)
    if not os.access(there, os.W_OK | os.X_OK):
        hint = "check its owner and mode, or set `WEFT_HOME`"
        return [Finding("state folder", Health.PROBLEM, f"`{there}` cannot be written", hint)]
    state = Finding("state folder", Health.OK, str(folder) if folder.exists() else f"{folder}, made on first use")
    return [state, _database(Path(Layout(str(folder)).database))]


def _database(path: Path) -> Finding:
    if not path.exists():
        return Finding("database", Health.OK, "none yet, made on first use")
    try:
        with SqliteJournal(path) as journal:
            count = len(journal.runs())
    except WeftError as error:
        return Finding("database", Health.PROBLEM, error.message, error.hint)
    return Finding("database", Health.OK, f"{path}, {count} run{'' if count == 1 else 's'}")


def _disk(environment: Environment) -> Finding:
    free = shutil.disk_usage(_existing(environment.state_folder)).free
    said = f"{free / 2**30:.1f} GiB free for worktrees and transcripts"
    hint = "`weft clean` removes what is safe to remove; `WEFT_HOME` moves the state folder"
    if free < TOO_LITTLE_SPACE:
        return Finding("disk", Health.PROBLEM, said, hint)
    if free < LITTLE_SPACE:
        return Finding("disk", Health.WARNING, said, hint)
    return Finding("disk", Health.OK, said)


def _sandbox(environment: Environment) -> Finding:
    missing = [name for name in ("bwrap", "socat") if shutil.which(name, path=environment.search_path) is None]
    if not missing:
        return Finding("sandbox", Health.OK, "bwrap and socat are there")
    return Finding(
        "sandbox",
        Health.WARNING,
        f"{' and '.join(missing)} not found: Claude Code cannot hold its commands in a workspace; Codex has its own",
        "install bubblewrap and socat",
    )


def _existing(path: Path) -> Path:
    """The folder itself, or the nearest above it that is there."""
    return next(folder for folder in (path, *path.parents) if folder.exists())
