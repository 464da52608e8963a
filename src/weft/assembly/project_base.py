"""Where a project's tasks start: the remote's default branch or the configured one (PROJ-10)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from weft.errors import GitError, UsageError
from weft.settings.environment import Environment
from weft.workspaces.fetching import fetch
from weft.workspaces.git import Git
from weft.workspaces.repository import RepoFacts, Repository, find_repo

AT_ONCE = 4
"""Fetches; more would be no faster and look like an attack to some servers."""


async def fetch_all(paths: Sequence[Path], environment: Environment) -> list[str]:
    """Each repo once, several at a time; answers a sentence for each whose remote could not be asked."""
    git = Git(environment.variables)
    repos = {repo.common_dir: repo for path in paths if (repo := await _repo(git, path)) is not None}
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(facts: RepoFacts) -> str | None:
        async with turns:
            return await _fetch(git, facts, environment)

    return [problem for problem in await asyncio.gather(*map(one, repos.values())) if problem]


async def _repo(git: Git, path: Path) -> RepoFacts | None:
    """A project that is no repo is told of elsewhere."""
    try:
        return await find_repo(git, path)
    except (UsageError, GitError):
        return None


async def _fetch(git: Git, facts: RepoFacts, environment: Environment) -> str | None:
    try:
        remotes = await Repository(git, facts).remotes()
        if remotes:
            await fetch(git, facts.root, remotes[0], environment.variables)
    except GitError as error:
        return f"`{facts.root}` starts from what was fetched before: {error.message}"
    return None


async def base_commit(repository: Repository, branch: str | None) -> str:
    """A commit from here on. What the remote has of a branch goes before what the user has of it."""
    if branch is None:
        found = await repository.resolve(await repository.default_base())
        if found is None:
            raise UsageError(f"`{repository.facts.root}` has no commit yet", hint="commit something, then try again")
        return found
    remotes = [f"refs/remotes/{remote}/{branch}" for remote in await repository.remotes()]
    for name in (*remotes, branch):
        found = await repository.resolve(name)
        if found is not None:
            return found
    raise UsageError(f"branch = `{branch}`: not a branch or commit of `{repository.facts.root}`")
