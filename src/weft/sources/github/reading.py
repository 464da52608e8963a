"""Reads issues from GitHub: those asked for, their comments, and what they depend on.

Requests: one per issue by number, or one per hundred found by label or milestone (and one per hundred milestones); then
one per hundred comments of an issue that has any, one each where it has sub-issues or blockers, and one for each
dependency that was not among them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Sequence
from typing import Any, TypeVar

import msgspec

from weft.errors import GithubError, UsageError
from weft.model.spelling import closest
from weft.pipelines.fence import clean_line, clean_text
from weft.ports import Issue
from weft.sources.comments import CommentsFrom
from weft.sources.dependencies import body_dependencies
from weft.sources.github.client import Client, Query, decoded
from weft.sources.github.issue_text import heard, issue_text
from weft.sources.github.issues import GithubIssues
from weft.sources.github.relations import relations_of
from weft.sources.github.repo import GithubRepo
from weft.sources.github.selection import Selection
from weft.sources.github.shapes import CommentShape, IssueShape, Label, Milestone

T = TypeVar("T")
_GONE = (404, 410)


class Reader:
    """Reads one repo's issues."""

    def __init__(self, client: Client, repo: GithubRepo, comments: CommentsFrom = CommentsFrom.WRITERS) -> None:
        self._client = client
        self._repo = repo
        self._comments = comments

    async def read(self, selection: Selection) -> GithubIssues:
        """Everything that planning needs to know. UsageError for a milestone that is not there."""
        named = await gathered(self._one(number) for number in dict.fromkeys(selection.numbers))
        found = await self._found(selection) if selection.searches else []
        given = {shape.number: shape for shape in (*filter(None, named), *_limited(found, selection.limit))}
        chosen = await gathered(self._whole(shape) for shape in given.values())
        beside = {str(shape.number): _plain(shape) for shape in found if shape.number not in given}
        known = beside | {issue.id: issue for issue in chosen}
        outside = await self._outside(chosen, known)
        missing = [str(number) for number in selection.numbers if number not in given]
        return GithubIssues(self._repo.full_name, known | outside, tuple(chosen), tuple(dict.fromkeys(missing)))

    async def read_plain(self, selection: Selection) -> dict[str, Issue]:
        """Those of these numbers that are there, without comments and without what they depend on."""
        shapes = await gathered(self._one(number) for number in dict.fromkeys(selection.numbers))
        return {str(shape.number): _plain(shape) for shape in shapes if shape}

    async def _one(self, number: int) -> IssueShape | None:
        """None where there is none, where it is a pull request, or where it moved to another repo."""
        try:
            body = await self._client.get(self._repo.path("issues", number))
        except GithubError as error:
            if error.status in _GONE:
                return None
            raise
        shape: IssueShape = decoded(body, IssueShape, f"issue {number}")
        return shape if shape.number == number and self._is_own(shape) else None

    async def _found(self, selection: Selection) -> list[IssueShape]:
        """By label and milestone; of a milestone the closed ones too, since others may depend on them."""
        query: dict[str, str | int] = {"sort": "created", "direction": "asc"}
        query["state"] = "open" if selection.milestone is None else "all"
        if selection.labels:
            query["labels"] = ",".join(selection.labels)
        if selection.milestone is not None:
            number = await self._milestone(selection.milestone, must_exist=selection.must_exist)
            if number is None:
                return []
            query["milestone"] = number
        shapes: list[IssueShape] = await self._list("issues", query=query, kind=IssueShape)
        return sorted(filter(self._is_own, shapes), key=lambda shape: shape.number)

    async def _milestone(self, title: str, *, must_exist: bool) -> int | None:
        listed: list[Milestone] = await self._list("milestones", query={"state": "all"}, kind=Milestone)
        numbers = {milestone.title: milestone.number for milestone in reversed(listed)}
        if title in numbers or not must_exist:
            return numbers.get(title)
        near = closest(title, numbers)
        hint = f"did you mean `{near}`?" if near else f"it has {', '.join(f'`{name}`' for name in numbers) or 'none'}"
        raise UsageError(f"`{self._repo.full_name}` has no milestone `{title}`", hint=hint)

    async def _list(self, *path: str | int, query: Query | None = None, kind: Any) -> list[Any]:
        what = "/".join(str(part) for part in path)
        pages = self._client.pages(self._repo.path(*path), query)
        return [item async for page in pages for item in decoded(page, list[kind], what)]

    def _is_own(self, shape: IssueShape) -> bool:
        """An issue, no pull request, of this repo and not of one that it moved to."""
        where = "/".join(shape.repository_url.split("/")[-2:])
        return shape.pull_request is None and (not where or self._repo.is_same(where))

    async def _whole(self, shape: IssueShape) -> Issue:
        """With comments, and with what GitHub knows of its relations."""
        wants = shape.comments and self._comments is not CommentsFrom.NOBODY
        path = ("issues", shape.number, "comments")
        comments: list[CommentShape] = await self._list(*path, kind=CommentShape) if wants else []
        related = await relations_of(self._client, self._repo, shape)
        issue = _plain(shape, heard(comments, self._comments))
        needs = dict.fromkeys((*(self._local(need) for need in issue.depends_on), *related))
        needs.pop(issue.id, None)
        return msgspec.structs.replace(issue, depends_on=tuple(needs))

    def _local(self, need: str) -> str:
        repo, _, number = need.rpartition("#")
        return number if self._repo.is_same(repo) else need

    async def _outside(self, issues: Iterable[Issue], known: dict[str, Issue]) -> dict[str, Issue]:
        """What they depend on in this repo and nobody asked for: whether it is there, and closed."""
        needs = {need for issue in issues for need in issue.depends_on if "#" not in need and need not in known}
        shapes = await gathered(self._one(int(need)) for need in sorted(needs, key=int))
        return {str(shape.number): _plain(shape) for shape in shapes if shape}


def _limited(found: Sequence[IssueShape], limit: int | None) -> Sequence[IssueShape]:
    return [shape for shape in found if shape.state == "open"][:limit]


def _plain(shape: IssueShape, comments: Sequence[CommentShape] = ()) -> Issue:
    """What the answer itself says; nothing that anybody wrote goes on unclean."""
    number = str(shape.number)
    names = (label.name if isinstance(label, Label) else label for label in shape.labels)
    return Issue(
        id=number,
        title=clean_line(shape.title) or f"Issue {number}",
        body=issue_text(shape.body, comments),
        origin=shape.html_url,
        depends_on=tuple(need for need in body_dependencies(clean_text(shape.body or "")) if need != number),
        labels=tuple(clean_line(name) for name in names if name),
        milestone=clean_line(shape.milestone.title) if shape.milestone else None,
        closed=shape.state == "closed",
    )


async def gathered(awaitables: Iterable[Awaitable[T]]) -> list[T]:
    """All at once, in order; the first error ends the rest."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_waited(each)) for each in awaitables]
    except* GithubError as errors:
        raise _first(errors) from None
    return [task.result() for task in tasks]


async def _waited(awaitable: Awaitable[T]) -> T:
    return await awaitable


def _first(errors: BaseExceptionGroup[GithubError]) -> GithubError:
    inside = errors.exceptions[0]
    return _first(inside) if isinstance(inside, BaseExceptionGroup) else inside
