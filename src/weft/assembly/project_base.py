"""Where a project's tasks start: the remote's default branch or the configured one (PROJ-10)."""

from __future__ import annotations

from weft.errors import UsageError
from weft.workspaces.repository import Repository


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
