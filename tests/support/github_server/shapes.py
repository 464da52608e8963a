"""JSON as GitHub's published API description has it; a test parses every kind with the strict models made from it."""

from __future__ import annotations

from typing import Any

from tests.support.github_server.world import Comment, Issue, Pull, Repo

WHEN = "2024-05-01T12:00:00Z"
_USER_URLS = [
    "followers_url",
    "following_url",
    "gists_url",
    "starred_url",
    "subscriptions_url",
    "organizations_url",
    "repos_url",
    "events_url",
    "received_events_url",
]
_REPO_URLS = [
    "archive",
    "assignees",
    "blobs",
    "branches",
    "collaborators",
    "comments",
    "commits",
    "compare",
    "contents",
    "contributors",
    "deployments",
    "downloads",
    "events",
    "forks",
    "git_commits",
    "git_refs",
    "git_tags",
    "issue_comment",
    "issue_events",
    "issues",
    "keys",
    "labels",
    "languages",
    "merges",
    "milestones",
    "notifications",
    "pulls",
    "releases",
    "stargazers",
    "statuses",
    "subscribers",
    "subscription",
    "tags",
    "teams",
    "trees",
    "hooks",
]


def user(login: str, server: str, *, bot: bool = False) -> dict[str, Any]:
    url = f"{server}/api/v3/users/{login}"
    return {
        "login": login,
        "id": sum(login.encode()),
        "node_id": f"U_{login}",
        "avatar_url": f"{server}/avatars/{login}",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{server}/{login}",
        **{name: f"{url}/{name.removesuffix('_url')}" for name in _USER_URLS},
        "type": "Bot" if bot else "User",
        "site_admin": False,
    }


def repository(repo: Repo) -> dict[str, Any]:
    url = api(repo)
    counts = (
        "forks_count",
        "stargazers_count",
        "watchers_count",
        "size",
        "forks",
        "watchers",
        "network_count",
        "subscribers_count",
    )
    flags = ("fork", "private", "archived", "disabled", "has_pages", "has_discussions", "has_wiki", "has_projects")
    return {
        "id": 1,
        "node_id": "R_1",
        "name": repo.name,
        "full_name": repo.full_name,
        "owner": user(repo.owner, repo.server_url),
        "html_url": web(repo),
        "description": None,
        "url": url,
        **{f"{name}_url": f"{url}/{name}" for name in _REPO_URLS},
        "clone_url": repo.clone_url,
        "git_url": repo.clone_url,
        "ssh_url": repo.clone_url,
        "svn_url": repo.clone_url,
        "mirror_url": None,
        "homepage": None,
        "language": None,
        "license": None,
        **dict.fromkeys(counts, 0),
        **dict.fromkeys(flags, False),
        "has_issues": True,
        "open_issues": len(repo.issues),
        "open_issues_count": len(repo.issues),
        "default_branch": repo.default_branch,
        "pushed_at": WHEN,
        "created_at": WHEN,
        "updated_at": WHEN,
        "permissions": repo.permissions,
    }


def label(name: str, repo: Repo) -> dict[str, Any]:
    return {
        "id": sum(name.encode()),
        "node_id": f"L_{name}",
        "url": f"{api(repo)}/labels/{name}",
        "name": name,
        "description": None,
        "color": "ededed",
        "default": False,
        "archived_at": None,
        "archived_by": None,
    }


def milestone(title: str, repo: Repo) -> dict[str, Any]:
    number = repo.milestones.index(title) + 1
    inside = [issue for issue in repo.issues.values() if issue.milestone == title]
    return {
        "url": f"{api(repo)}/milestones/{number}",
        "html_url": f"{web(repo)}/milestone/{number}",
        "labels_url": f"{api(repo)}/milestones/{number}/labels",
        "id": number,
        "node_id": f"M_{number}",
        "number": number,
        "state": "open",
        "title": title,
        "description": None,
        "creator": user(repo.owner, repo.server_url),
        "open_issues": sum(issue.state == "open" for issue in inside),
        "closed_issues": sum(issue.state == "closed" for issue in inside),
        "created_at": WHEN,
        "updated_at": WHEN,
        "closed_at": None,
        "due_on": None,
    }


def issue(it: Issue) -> dict[str, Any]:
    url = f"{api(it.repo)}/issues/{it.number}"
    return {
        "id": 10_000 + it.number,
        "node_id": f"I_{it.number}",
        "url": url,
        "repository_url": api(it.repo),
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "html_url": f"{web(it.repo)}/issues/{it.number}",
        "number": it.number,
        "state": it.state,
        "state_reason": "completed" if it.state == "closed" else None,
        "title": it.title,
        "body": it.body,
        "user": user(it.author, it.repo.server_url),
        "labels": [label(name, it.repo) for name in it.labels],
        "assignees": [],
        "milestone": milestone(it.milestone, it.repo) if it.milestone else None,
        "locked": False,
        "active_lock_reason": None,
        "comments": len(it.comments),
        "closed_at": WHEN if it.state == "closed" else None,
        "created_at": WHEN,
        "updated_at": WHEN,
        "author_association": it.association,
        **(_relations(it) if it.repo.has_relations else {}),
    }


def _relations(it: Issue) -> dict[str, Any]:
    done = sum(child.state == "closed" for child in it.sub_issues)
    waiting = sum(other.state == "open" for other in it.blocked_by)
    return {
        "sub_issues_summary": {
            "total": len(it.sub_issues),
            "completed": done,
            "percent_completed": 100 * done // max(len(it.sub_issues), 1),
        },
        "issue_dependencies_summary": {
            "blocked_by": waiting,
            "blocking": 0,
            "total_blocked_by": len(it.blocked_by),
            "total_blocking": 0,
        },
    }


def issue_of_pull(it: Pull) -> dict[str, Any]:
    """The issues API gives pull requests too."""
    shape = issue(Issue(it.number, it.title, it.body, it.state, repo=it.repo))
    url = f"{api(it.repo)}/pulls/{it.number}"
    links = {"url": url, "html_url": f"{web(it.repo)}/pull/{it.number}", "diff_url": url, "patch_url": url}
    return {**shape, "html_url": links["html_url"], "pull_request": {**links, "merged_at": None}, "draft": it.draft}


def comment(it: Comment, of: Issue | Pull) -> dict[str, Any]:
    url = f"{api(of.repo)}/issues/comments/{it.id}"
    return {
        "id": it.id,
        "node_id": f"C_{it.id}",
        "url": url,
        "html_url": f"{web(of.repo)}/issues/{of.number}#issuecomment-{it.id}",
        "body": it.body,
        "user": user(it.author, of.repo.server_url, bot=it.bot),
        "created_at": WHEN,
        "updated_at": WHEN,
        "issue_url": f"{api(of.repo)}/issues/{of.number}",
        "author_association": it.association,
    }


def pull_simple(it: Pull) -> dict[str, Any]:
    """As in lists."""
    url = f"{api(it.repo)}/pulls/{it.number}"
    page = f"{web(it.repo)}/pull/{it.number}"
    issue_url = f"{api(it.repo)}/issues/{it.number}"
    links = {
        "self": url,
        "html": page,
        "issue": issue_url,
        "comments": f"{issue_url}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": f"{url}/comments{{/number}}",
        "commits": f"{url}/commits",
        "statuses": f"{url}/statuses",
    }
    return {
        "url": url,
        "id": 20_000 + it.number,
        "node_id": f"PR_{it.number}",
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "issue_url": issue_url,
        "commits_url": links["commits"],
        "review_comments_url": links["review_comments"],
        "review_comment_url": links["review_comment"],
        "comments_url": links["comments"],
        "statuses_url": links["statuses"],
        "number": it.number,
        "state": it.state,
        "locked": False,
        "title": it.title,
        "user": user("weft-bot", it.repo.server_url),
        "body": it.body,
        "labels": [],
        "milestone": None,
        "created_at": WHEN,
        "updated_at": WHEN,
        "closed_at": None if it.state == "open" else WHEN,
        "merged_at": WHEN if it.merged else None,
        "head": _end(it.head, it.repo),
        "base": _end(it.base, it.repo),
        "_links": {name: {"href": href} for name, href in links.items()},
        "author_association": "OWNER",
        "auto_merge": None,
        "draft": it.draft,
    }


def pull(it: Pull) -> dict[str, Any]:
    return {
        **pull_simple(it),
        "merged": it.merged,
        "mergeable": None,
        "mergeable_state": "unknown",
        "merged_by": None,
        "comments": 0,
        "review_comments": 0,
        "maintainer_can_modify": False,
        "commits": 1,
        "additions": 1,
        "deletions": 0,
        "changed_files": 1,
    }


def _end(branch: str, repo: Repo) -> dict[str, Any]:
    return {
        "label": f"{repo.owner}:{branch}",
        "ref": branch,
        "sha": repo.git.tip(branch) or "0" * 40,
        "user": user(repo.owner, repo.server_url),
        "repo": repository(repo),
    }


def api(repo: Repo) -> str:
    return f"{repo.server_url}/api/v3/repos/{repo.full_name}"


def web(repo: Repo) -> str:
    return f"{repo.server_url}/{repo.full_name}"
