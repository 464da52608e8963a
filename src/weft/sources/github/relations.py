"""What GitHub knows of an issue's relations: a parent waits for its sub-issues, a blocked one for its blockers."""

from __future__ import annotations

from weft.errors import GithubError
from weft.sources.github.client import Client, decoded
from weft.sources.github.repo import GithubRepo
from weft.sources.github.shapes import IssueShape


async def relations_of(client: Client, repo: GithubRepo, shape: IssueShape) -> list[str]:
    """References to what it depends on, `7` or `owner/name#7`. The issue's own summary says whether to ask at all; a
    server that has no such data has no such summary.
    """
    asked: list[tuple[str, ...]] = []
    if shape.issue_dependencies_summary and shape.issue_dependencies_summary.total_blocked_by:
        asked.append(("dependencies", "blocked_by"))
    if shape.sub_issues_summary and shape.sub_issues_summary.total:
        asked.append(("sub_issues",))
    return [need for path in asked for need in await _listed(client, repo, shape.number, path)]


async def _listed(client: Client, repo: GithubRepo, number: int, path: tuple[str, ...]) -> list[str]:
    try:
        pages = [page async for page in client.pages(repo.path("issues", number, *path))]
    except GithubError as error:
        if error.status in (403, 404, 410):
            return []
        raise
    shapes: list[IssueShape] = [one for page in pages for one in decoded(page, list[IssueShape], "/".join(path))]
    return [_reference(one, repo) for one in shapes]


def _reference(shape: IssueShape, repo: GithubRepo) -> str:
    where = "/".join(shape.repository_url.split("/")[-2:])
    return str(shape.number) if not where or repo.is_same(where) else f"{where}#{shape.number}"
