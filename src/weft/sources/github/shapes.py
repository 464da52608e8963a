"""What Weft reads of GitHub's answers; all else in them is passed over."""

from __future__ import annotations

from typing import Any

import msgspec


class User(msgspec.Struct, frozen=True):
    login: str
    type: str = "User"


class Label(msgspec.Struct, frozen=True):
    name: str | None = None


class Milestone(msgspec.Struct, frozen=True):
    number: int
    title: str


class SubIssues(msgspec.Struct, frozen=True):
    total: int = 0


class Dependencies(msgspec.Struct, frozen=True):
    total_blocked_by: int = 0
    blocked_by: int = 0


class IssueShape(msgspec.Struct, frozen=True):
    number: int
    title: str
    state: str
    html_url: str
    repository_url: str = ""
    body: str | None = None
    labels: tuple[Label | str, ...] = ()
    milestone: Milestone | None = None
    comments: int = 0
    pull_request: dict[str, Any] | None = None
    """Set where it is a pull request: the issues API has those too."""
    sub_issues_summary: SubIssues | None = None
    issue_dependencies_summary: Dependencies | None = None


class CommentShape(msgspec.Struct, frozen=True):
    id: int
    body: str | None = None
    user: User | None = None
    author_association: str = "NONE"
    created_at: str = ""


class EndRepo(msgspec.Struct, frozen=True):
    full_name: str


class End(msgspec.Struct, frozen=True):
    ref: str
    repo: EndRepo | None = None
    """None where it is gone."""


class PullShape(msgspec.Struct, frozen=True):
    number: int
    html_url: str
    title: str
    base: End
    head: End
    body: str | None = None
    draft: bool = False
    state: str = "open"


class Permissions(msgspec.Struct, frozen=True):
    push: bool = False
    pull: bool = False


class RepoShape(msgspec.Struct, frozen=True):
    full_name: str
    default_branch: str
    has_issues: bool = True
    archived: bool = False
    permissions: Permissions | None = None
