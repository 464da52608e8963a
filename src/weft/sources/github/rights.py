"""Whether the token can do what Weft needs, for `weft doctor`."""

from __future__ import annotations

import msgspec

from weft.sources.github.client import Client, decoded
from weft.sources.github.repo import GithubRepo
from weft.sources.github.shapes import RepoShape


class Rights(msgspec.Struct, frozen=True):
    full_name: str
    """As GitHub has it now: a repo may have been renamed."""
    default_branch: str
    may_push: bool
    has_issues: bool
    archived: bool


async def rights_of(client: Client, repo: GithubRepo) -> Rights:
    """One request. GithubError with a hint where the token is refused or the repo is not to be seen."""
    shape: RepoShape = decoded(await client.get(repo.path()), RepoShape, f"`{repo.full_name}`")
    may_push = shape.permissions.push if shape.permissions else False
    return Rights(shape.full_name, shape.default_branch, may_push, shape.has_issues, shape.archived)
