"""Changes to issues on GitHub. Each says how it is to be, and is safe to repeat."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from weft.errors import GithubError
from weft.ports import Clock
from weft.sources.github.client import Client, UnclearError, decoded
from weft.sources.github.issue_text import is_writer
from weft.sources.github.marker import mark
from weft.sources.github.repo import GithubRepo
from weft.sources.github.shapes import CommentShape

_LOOKS = 3
"""How often it is looked whether a comment that got no answer is there."""
_PAUSE = 2.0


class Commented(msgspec.Struct, frozen=True):
    id: int
    created: bool
    """False where it was there already, changed or not."""


class Tracker:
    """One repo's issues, to be changed."""

    def __init__(self, client: Client, repo: GithubRepo, clock: Clock) -> None:
        self._client = client
        self._repo = repo
        self._clock = clock

    async def ensure_labels(self, number: int, *, add: Iterable[str] = (), remove: Iterable[str] = ()) -> None:
        """One request for those to add, one for each to take away; a label that the repo lacks is made."""
        wanted = list(dict.fromkeys(add))
        if wanted:
            await self._client.send("POST", self._repo.path("issues", number, "labels"), {"labels": wanted})
        for name in dict.fromkeys(remove):
            await self._without_label(number, name)

    async def _without_label(self, number: int, name: str) -> None:
        try:
            await self._client.send("DELETE", self._repo.path("issues", number, "labels", name))
        except GithubError as error:
            if error.status != 404:
                raise

    async def ensure_comment(self, number: int, name: str, text: str) -> Commented:
        """One comment of this name on the issue: made, or brought up to date; never a second one. `text` is Markdown
        that is Weft's own; what an agent wrote goes through `defuse` first.
        """
        body = f"{text.strip()}\n\n{mark(name)}"
        for look in range(_LOOKS):
            there = await self._comment(number, name)
            if there:
                return await self._updated(there, body)
            try:
                return await self._created(number, body)
            except UnclearError:
                if look == _LOOKS - 1:
                    raise
                await self._clock.sleep(_PAUSE * 2**look)
        raise AssertionError("not reached")

    async def ensure_closed(self, number: int) -> None:
        path = self._repo.path("issues", number)
        await self._client.send("PATCH", path, {"state": "closed", "state_reason": "completed"})

    async def _comment(self, number: int, name: str) -> CommentShape | None:
        """The oldest with the mark; a stranger's is none of ours."""
        wanted = mark(name)
        async for page in self._client.pages(self._repo.path("issues", number, "comments")):
            for comment in decoded(page, list[CommentShape], f"comments of issue {number}"):
                if wanted in (comment.body or "") and _may_be_own(comment):
                    found: CommentShape = comment
                    return found
        return None

    async def _created(self, number: int, body: str) -> Commented:
        path = self._repo.path("issues", number, "comments")
        answer = await self._client.send("POST", path, {"body": body}, repeat=False)
        made: CommentShape = decoded(answer, CommentShape, "a comment")
        return Commented(made.id, created=True)

    async def _updated(self, there: CommentShape, body: str) -> Commented:
        if (there.body or "").replace("\r\n", "\n") != body:
            await self._client.send("PATCH", self._repo.path("issues", "comments", there.id), {"body": body})
        return Commented(there.id, created=False)


def _may_be_own(comment: CommentShape) -> bool:
    return is_writer(comment) or (comment.user is not None and comment.user.type == "Bot")
