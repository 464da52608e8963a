"""What the server knows: repos with issues, comments, milestones and pull requests. Tests read and write it freely."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tests.support.github_server.bare_repo import BareRepo


@dataclass
class Comment:
    id: int
    body: str
    author: str = "ada"
    association: str = "OWNER"
    bot: bool = False


@dataclass
class Issue:
    number: int
    title: str
    body: str | None = ""
    state: str = "open"
    labels: list[str] = field(default_factory=list)
    milestone: str | None = None
    author: str = "ada"
    association: str = "OWNER"
    comments: list[Comment] = field(default_factory=list)
    blocked_by: list[Issue] = field(default_factory=list)
    sub_issues: list[Issue] = field(default_factory=list)
    repo: Repo = field(kw_only=True, repr=False)


@dataclass
class Pull:
    number: int
    title: str
    body: str | None
    head: str
    base: str
    draft: bool = False
    state: str = "open"
    merged: bool = False
    repo: Repo = field(kw_only=True, repr=False)


@dataclass
class Repo:
    owner: str
    name: str
    git: BareRepo
    server_url: str
    issues: dict[int, Issue] = field(default_factory=dict)
    pulls: dict[int, Pull] = field(default_factory=dict)
    milestones: list[str] = field(default_factory=list)
    permissions: dict[str, bool] = field(default_factory=lambda: {"admin": False, "push": True, "pull": True})
    default_branch: str = "main"
    has_relations: bool = True
    """Whether it knows sub-issues and dependencies, as newer servers do."""

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.name}"

    @property
    def clone_url(self) -> str:
        return f"{self.server_url}/{self.full_name}.git"

    @property
    def folder(self) -> Path:
        return self.git.path

    def issue(self, number: int, title: str, body: str | None = "", **more: object) -> Issue:
        issue = Issue(number, title, body, repo=self, **more)  # type: ignore[arg-type]
        self.issues[number] = issue
        if issue.milestone and issue.milestone not in self.milestones:
            self.milestones.append(issue.milestone)
        return issue

    def comment(self, number: int, body: str, **more: object) -> Comment:
        listed = self.issues[number].comments
        listed.append(Comment(number * 1000 + len(listed) + 1, body, **more))  # type: ignore[arg-type]
        return listed[-1]

    def pull(self, head: str, base: str, title: str, body: str | None = None, *, draft: bool = False) -> Pull:
        number = max([0, *self.issues, *self.pulls]) + 1
        self.pulls[number] = Pull(number, title, body, head, base, draft, repo=self)
        return self.pulls[number]

    def open_pulls(self, head: str) -> list[Pull]:
        return [pull for pull in self.pulls.values() if pull.head == head and pull.state == "open"]
