"""Whether the token can do what Weft needs, for `weft doctor`."""

from __future__ import annotations

from collections.abc import Awaitable

import msgspec

from weft.errors import GithubError
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


_REFUSED = (403, 404, 410)
_NO_PULL_REQUEST = {"title": "", "head": "", "base": ""}
"""GitHub looks at the rights first and at this then: whoever may make pull requests is told that this is none."""


async def missing_rights(client: Client, repo: GithubRepo, rights: Rights) -> list[str]:
    """What the token lacks, by the names that GitHub's settings have for it; a few requests, none of which changes
    anything.
    """
    missing = [] if await _may(client.get(repo.path("issues"), {"per_page": 1})) else ["Issues: read and write"]
    if not await _may(client.send("POST", repo.path("pulls"), _NO_PULL_REQUEST)):
        missing.append("Pull requests: read and write")
    return missing if rights.may_push else [*missing, "Contents: read and write"]


async def _may(request: Awaitable[bytes]) -> bool:
    try:
        await request
    except GithubError as error:
        if error.status in _REFUSED:
            return False
        if error.status != 422:
            raise
    return True
