"""The loopback server's answers have the shapes of GitHub's published API description, from which these strict models
are made.
"""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest
from pydantic import TypeAdapter
from tests.git_repo import GitRepo
from tests.support.github_server import GithubServer, Repo
from tests.support.github_server.routes import ROUTES


@pytest.fixture
def filled(shop: Repo, local: GitRepo) -> Repo:
    """Every kind of thing that can be asked for."""
    local.branch("feature", {"a.txt": "a"})
    local.git("push", "-q", str(shop.folder), "main", "feature")
    closed = shop.issue(2, "Closed", state="closed", author="grace")
    shop.issue(1, "Open", "Body", labels=["bug", "ready"], milestone="M1", blocked_by=[closed], sub_issues=[closed])
    shop.comment(1, "A comment")
    shop.pull("feature", "main", "A pull request", "Body")
    return shop


ASKED: list[tuple[str, str, dict[str, Any] | None, int, str]] = [
    ("GET", "", None, 200, "FullRepository"),
    ("GET", "/issues?state=all", None, 200, "list[Issue]"),
    ("GET", "/issues/1", None, 200, "Issue"),
    ("GET", "/issues/3", None, 200, "Issue"),
    ("PATCH", "/issues/1", {"state": "closed"}, 200, "Issue"),
    ("GET", "/issues/1/comments", None, 200, "list[IssueComment]"),
    ("POST", "/issues/1/comments", {"body": "x"}, 201, "IssueComment"),
    ("PATCH", "/issues/comments/1001", {"body": "x"}, 200, "IssueComment"),
    ("POST", "/issues/1/labels", {"labels": ["a"]}, 200, "list[Label]"),
    ("DELETE", "/issues/1/labels/bug", None, 200, "list[Label]"),
    ("GET", "/issues/1/dependencies/blocked_by", None, 200, "list[Issue]"),
    ("GET", "/issues/1/sub_issues", None, 200, "list[Issue]"),
    ("GET", "/milestones", None, 200, "list[Milestone]"),
    ("GET", "/pulls", None, 200, "list[PullRequestSimple]"),
    ("GET", "/pulls/3", None, 200, "PullRequest"),
    ("PATCH", "/pulls/3", {"title": "x"}, 200, "PullRequest"),
    ("POST", "/pulls", {"title": "x", "head": "feature", "base": "main"}, 422, "ValidationError"),
    ("GET", "/issues/99", None, 404, "BasicError"),
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(("method", "path", "body", "status", "model"), ASKED)
def test_answers_parse(
    method: str, path: str, body: dict[str, Any] | None, status: int, model: str, filled: Repo, github: GithubServer
) -> None:
    """Every answer parses, and has the status that GitHub gives."""
    from githubkit_schemas.latest import models

    url = f"{github.api_url}/repos/acme/shop{path}"
    answer = httpx.request(method, url, json=body, headers={"Authorization": f"Bearer {github.token}"})
    assert answer.status_code == status, answer.text
    name = model.removeprefix("list[").removesuffix("]")
    one: Any = getattr(models, name)
    parsed = TypeAdapter(list[one] if model != name else one).validate_json(answer.content)
    assert parsed


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_new_pull_request_parses(filled: Repo, github: GithubServer, local: GitRepo) -> None:
    """The answer to a creation is the whole pull request."""
    from githubkit_schemas.latest.models import PullRequest

    local.branch("other", {"b.txt": "b"})
    local.git("push", "-q", str(filled.folder), "other")
    url = f"{github.api_url}/repos/acme/shop/pulls"
    asked = {"title": "x", "head": "other", "base": "main", "draft": True}
    answer = httpx.post(url, json=asked, headers={"Authorization": f"token {github.token}"})
    made = PullRequest.model_validate_json(answer.content)
    assert (answer.status_code, made.draft, made.head.ref, made.state) == (201, True, "other", "open")


def test_every_route_is_checked() -> None:
    """A new route has a row above."""
    asked = {(method, path.partition("?")[0].replace("/bug", "/{name}")) for method, path, *_ in ASKED}
    known = {(method, _plain(pattern)) for method, pattern, _ in ROUTES}
    assert {(method, _plain(path)) for method, path in asked} >= known


def _plain(path: str) -> str:
    path = path.replace(r"(?P<n>\d+)", "N").replace("(?P<name>[^/]+)", "{name}")
    return re.sub(r"\d+", "N", path)
