"""One pull request per branch: made, or found and brought up to date; safe to repeat after a crash at any point."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from weft.errors import GithubError
from weft.ports import Clock
from weft.sources.github.client import Client, UnclearError, decoded
from weft.sources.github.marker import mark
from weft.sources.github.repo import GithubRepo
from weft.sources.github.shapes import PullShape

BEGIN = mark("begin")
END = mark("end")
_UNPROCESSABLE = 422
_LOOKS = 3
_PAUSE = 2.0
_FEW = 3


class PullRequestAsk(msgspec.Struct, frozen=True):
    head: str
    """The branch, which is on the remote already."""
    base: str
    title: str
    body: str
    draft: bool = False


class PullRequest(msgspec.Struct, frozen=True):
    number: int
    url: str
    created: bool


async def find_pull_request(client: Client, repo: GithubRepo, head: str) -> PullRequest | None:
    """The open one of this branch: with it, a job is finished (RUN-20)."""
    found = await _find(client, repo, head)
    return PullRequest(found.number, found.html_url, created=False) if found else None


async def find_pull_requests(client: Client, repo: GithubRepo, heads: Sequence[str]) -> dict[str, PullRequest]:
    """The same for several branches: one request for each of a few, else one for a hundred open pull requests."""
    if len(heads) <= _FEW:
        found = [(head, await find_pull_request(client, repo, head)) for head in heads]
        return {head: pull for head, pull in found if pull}
    wanted = set(heads)
    pulls: dict[str, PullRequest] = {}
    query = {"state": "open", "sort": "created", "direction": "asc"}
    async for page in client.pages(repo.path("pulls"), query):
        shapes: list[PullShape] = decoded(page, list[PullShape], "pull requests")
        for shape in shapes:
            own = shape.head.repo is not None and repo.is_same(shape.head.repo.full_name)
            if own and shape.head.ref in wanted:
                pulls.setdefault(shape.head.ref, PullRequest(shape.number, shape.html_url, created=False))
    return pulls


async def ensure_pull_request(client: Client, repo: GithubRepo, clock: Clock, ask: PullRequestAsk) -> PullRequest:
    """The branch's one open pull request, with this base and text. What people wrote around Weft's text stays, and so
    does a title that is there. GithubError where GitHub refuses: the step failed and can be taken up again.
    """
    for look in range(_LOOKS):
        found = await _find(client, repo, ask.head)
        if found:
            return await _updated(client, repo, ask, found)
        try:
            return await _created(client, repo, ask)
        except GithubError as error:
            if look == _LOOKS - 1 or not _may_be_there(error):
                raise
            await clock.sleep(_PAUSE * 2**look)
    raise AssertionError("not reached")


def _may_be_there(error: GithubError) -> bool:
    return isinstance(error, UnclearError) or (
        error.status == _UNPROCESSABLE and "pull request already exists" in error.message.lower()
    )


async def _find(client: Client, repo: GithubRepo, head: str) -> PullShape | None:
    query = {"state": "open", "head": f"{repo.owner}:{head}", "sort": "created", "direction": "asc"}
    answer = await client.get(repo.path("pulls"), query)
    found: list[PullShape] = decoded(answer, list[PullShape], f"pull requests of `{head}`")
    return next(iter(found), None)


async def _created(client: Client, repo: GithubRepo, ask: PullRequestAsk) -> PullRequest:
    body = {
        "title": ask.title,
        "head": ask.head,
        "base": ask.base,
        "body": f"{BEGIN}\n{ask.body.strip()}\n{END}",
        "draft": ask.draft,
    }
    answer = await client.send("POST", repo.path("pulls"), body, repeat=False)
    made: PullShape = decoded(answer, PullShape, f"the pull request of `{ask.head}`")
    return PullRequest(made.number, made.html_url, created=True)


async def _updated(client: Client, repo: GithubRepo, ask: PullRequestAsk, found: PullShape) -> PullRequest:
    changes: dict[str, str] = {}
    body = with_section(found.body or "", ask.body)
    if body != (found.body or "").replace("\r\n", "\n"):
        changes["body"] = body
    if found.base.ref != ask.base:
        changes["base"] = ask.base
    if changes:
        await client.send("PATCH", repo.path("pulls", found.number), changes)
    return PullRequest(found.number, found.html_url, created=False)


def with_section(text: str, section: str) -> str:
    """`text` with Weft's part of it replaced, or added at the end."""
    text = text.replace("\r\n", "\n")
    own = f"{BEGIN}\n{section.strip()}\n{END}"
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if begin and end:
        return f"{before}{own}{after}"
    return f"{text.rstrip()}\n\n{own}" if text.strip() else own
