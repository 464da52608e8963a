"""What the server answers to which request, as GitHub does: the endpoints that Weft uses, and no others."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from tests.support.github_server import shapes
from tests.support.github_server.world import Comment, Issue, Pull, Repo


@dataclass(frozen=True)
class Ask:
    repo: Repo
    number: int
    name: str
    query: Mapping[str, str]
    body: Mapping[str, Any]


class Refused(Exception):
    def __init__(self, status: int, message: str, errors: list[dict[str, str]] | None = None) -> None:
        super().__init__(message)
        self.status = status
        about = "https://docs.github.com/rest"
        self.body: dict[str, Any] = {"message": message, "documentation_url": about, "status": str(status)}
        if errors is not None:
            self.body["errors"] = errors


Route = Callable[[Ask], tuple[int, Any]]
_ROUTE = re.compile(r"/api/v3/repos/(?P<owner>[^/]+)/(?P<repo>[^/]+)(?P<rest>/.*)?")


def answer(
    method: str, path: str, query: Mapping[str, str], body: Mapping[str, Any], repos: Mapping[str, Repo]
) -> tuple[int, Any]:
    """Status and JSON; a list is given whole and paged by the caller."""
    found = _ROUTE.fullmatch(path)
    repo = repos.get(f"{found['owner']}/{found['repo']}".lower()) if found else None
    if found is None or repo is None:
        raise Refused(404, "Not Found")
    for wanted, pattern, route in ROUTES:
        match = re.fullmatch(pattern, found["rest"] or "")
        if match and method == wanted:
            parts = match.groupdict()
            return route(Ask(repo, int(parts.get("n") or 0), unquote(parts.get("name") or ""), query, body))
    raise Refused(404, "Not Found")


def _get_repo(ask: Ask) -> tuple[int, Any]:
    return 200, shapes.repository(ask.repo)


def _list_issues(ask: Ask) -> tuple[int, Any]:
    state = ask.query.get("state", "open")
    labels = [label for label in ask.query.get("labels", "").split(",") if label]
    milestone = ask.query.get("milestone")
    listed = [
        (it.number, shapes.issue(it))
        for it in ask.repo.issues.values()
        if state in ("all", it.state)
        and set(labels) <= set(it.labels)
        and (milestone is None or (it.milestone and str(ask.repo.milestones.index(it.milestone) + 1) == milestone))
    ]
    if not labels and milestone is None:
        listed += [
            (it.number, shapes.issue_of_pull(it)) for it in ask.repo.pulls.values() if state in ("all", it.state)
        ]
    listed.sort(key=lambda pair: pair[0], reverse=ask.query.get("direction", "desc") == "desc")
    return 200, [shape for _, shape in listed]


def _issue(ask: Ask) -> Issue:
    if ask.number not in ask.repo.issues:
        raise Refused(404, "Not Found")
    return ask.repo.issues[ask.number]


def _get_issue(ask: Ask) -> tuple[int, Any]:
    if ask.number in ask.repo.pulls:
        return 200, shapes.issue_of_pull(ask.repo.pulls[ask.number])
    return 200, shapes.issue(_issue(ask))


def _patch_issue(ask: Ask) -> tuple[int, Any]:
    issue = _issue(ask)
    issue.state = ask.body.get("state", issue.state)
    return 200, shapes.issue(issue)


def _list_comments(ask: Ask) -> tuple[int, Any]:
    issue = _issue(ask)
    return 200, [shapes.comment(comment, issue) for comment in issue.comments]


def _create_comment(ask: Ask) -> tuple[int, Any]:
    issue = _issue(ask)
    if not ask.body.get("body"):
        raise Refused(
            422, "Validation Failed", [{"resource": "IssueComment", "code": "missing_field", "field": "body"}]
        )
    issue.comments.append(Comment(issue.number * 1000 + len(issue.comments) + 1, ask.body["body"], author="weft-bot"))
    return 201, shapes.comment(issue.comments[-1], issue)


def _patch_comment(ask: Ask) -> tuple[int, Any]:
    for issue in ask.repo.issues.values():
        for comment in issue.comments:
            if comment.id == ask.number:
                comment.body = ask.body["body"]
                return 200, shapes.comment(comment, issue)
    raise Refused(404, "Not Found")


def _list_milestones(ask: Ask) -> tuple[int, Any]:
    return 200, [shapes.milestone(title, ask.repo) for title in ask.repo.milestones]


def _add_labels(ask: Ask) -> tuple[int, Any]:
    issue = _issue(ask)
    issue.labels += [name for name in ask.body["labels"] if name not in issue.labels]
    return 200, [shapes.label(name, ask.repo) for name in issue.labels]


def _remove_label(ask: Ask) -> tuple[int, Any]:
    issue = _issue(ask)
    if ask.name not in issue.labels:
        raise Refused(404, "Label does not exist")
    issue.labels.remove(ask.name)
    return 200, [shapes.label(name, ask.repo) for name in issue.labels]


def _blocked_by(ask: Ask) -> tuple[int, Any]:
    if not ask.repo.has_relations:
        raise Refused(404, "Not Found")
    return 200, [shapes.issue(other) for other in _issue(ask).blocked_by]


def _sub_issues(ask: Ask) -> tuple[int, Any]:
    if not ask.repo.has_relations:
        raise Refused(404, "Not Found")
    return 200, [shapes.issue(other) for other in _issue(ask).sub_issues]


def _list_pulls(ask: Ask) -> tuple[int, Any]:
    state = ask.query.get("state", "open")
    owner, _, head = ask.query.get("head", "").partition(":")
    listed = [
        pull
        for pull in ask.repo.pulls.values()
        if state in ("all", pull.state) and (not head or (pull.head == head and owner == ask.repo.owner))
    ]
    return 200, [shapes.pull_simple(pull) for pull in reversed(listed)]


def _create_pull(ask: Ask) -> tuple[int, Any]:
    head, base = ask.body["head"].rpartition(":")[2], ask.body["base"]
    _refuse_pull(ask.repo, head, base)
    made = ask.repo.pull(head, base, ask.body["title"], ask.body.get("body"), draft=ask.body.get("draft", False))
    return 201, shapes.pull(made)


def _refuse_pull(repo: Repo, head: str, base: str) -> None:
    if repo.git.tip(head) is None:
        raise _invalid({"code": "invalid", "field": "head"})
    if repo.git.tip(base) is None:
        raise _invalid({"code": "invalid", "field": "base"})
    if any(pull.base == base for pull in repo.open_pulls(head)):
        raise _invalid({"code": "custom", "message": f"A pull request already exists for {repo.owner}:{head}."})
    if not repo.git.commits(head, base):
        raise _invalid({"code": "custom", "message": f"No commits between {base} and {head}"})


def _invalid(error: dict[str, str]) -> Refused:
    return Refused(422, "Validation Failed", [{"resource": "PullRequest", **error}])


def _pull(ask: Ask) -> Pull:
    if ask.number not in ask.repo.pulls:
        raise Refused(404, "Not Found")
    return ask.repo.pulls[ask.number]


def _get_pull(ask: Ask) -> tuple[int, Any]:
    return 200, shapes.pull(_pull(ask))


def _patch_pull(ask: Ask) -> tuple[int, Any]:
    pull = _pull(ask)
    if "base" in ask.body and ask.repo.git.tip(ask.body["base"]) is None:
        raise _invalid({"code": "invalid", "field": "base"})
    for name in ("title", "body", "base", "state"):
        setattr(pull, name, ask.body.get(name, getattr(pull, name)))
    return 200, shapes.pull(pull)


ROUTES: list[tuple[str, str, Route]] = [
    ("GET", r"", _get_repo),
    ("GET", r"/issues", _list_issues),
    ("GET", r"/issues/(?P<n>\d+)", _get_issue),
    ("PATCH", r"/issues/(?P<n>\d+)", _patch_issue),
    ("GET", r"/issues/(?P<n>\d+)/comments", _list_comments),
    ("POST", r"/issues/(?P<n>\d+)/comments", _create_comment),
    ("PATCH", r"/issues/comments/(?P<n>\d+)", _patch_comment),
    ("POST", r"/issues/(?P<n>\d+)/labels", _add_labels),
    ("DELETE", r"/issues/(?P<n>\d+)/labels/(?P<name>[^/]+)", _remove_label),
    ("GET", r"/issues/(?P<n>\d+)/dependencies/blocked_by", _blocked_by),
    ("GET", r"/issues/(?P<n>\d+)/sub_issues", _sub_issues),
    ("GET", r"/milestones", _list_milestones),
    ("GET", r"/pulls", _list_pulls),
    ("POST", r"/pulls", _create_pull),
    ("GET", r"/pulls/(?P<n>\d+)", _get_pull),
    ("PATCH", r"/pulls/(?P<n>\d+)", _patch_pull),
]
