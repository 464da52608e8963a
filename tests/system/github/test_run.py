"""`weft run` with issues on GitHub: read up front, worked on, handed over as pull requests."""

from __future__ import annotations

from tests.support.github_server import Answer
from tests.support.github_shop import GithubShop


def test_an_issue_becomes_a_pull_request(hub: GithubShop) -> None:
    """RUN-1, RUN-15: `weft run 7` reads the issue, runs it, pushes its branch, and makes one pull request for it."""
    hub.repo.issue(7, "Add login", "Do it.")
    answer = hub.shop.weft("run", "7")
    assert answer.code == 0, answer.err
    (pull,) = hub.repo.pulls.values()
    assert (pull.head, pull.base, pull.title) == ("weft/7-add-login", "main", "Add login")
    assert "Closes #7" in (pull.body or "").splitlines()
    assert len(hub.pushed("weft/7-add-login")) == 1
    assert f"● #7: pull request #{pull.number} ✓" in answer.lines
    assert f"· PR #{pull.number} ·" in answer.out


def test_json(hub: GithubShop) -> None:
    """RUN-13: the document has the pull request's number, its address, and how many API calls were made."""
    hub.issues(1, 2)
    answer = hub.shop.run("1", "2")
    assert answer.code == 0, answer.err
    pulls = hub.pulls()
    for issue in ("1", "2"):
        job = answer.job(issue)
        pull = pulls[job["branch"]]
        assert (job["status"], job["pull_request"]) == ("passed", pull.number)
        assert job["pull_request_url"].endswith(f"/acme/shop/pull/{pull.number}")
    assert answer.document["api_calls"] == len(hub.server.asked())
    assert f"read with {len(hub.server.asked()) - 4} API calls" in answer.err


def test_unknown_issues(hub: GithubShop) -> None:
    """RUN-1: unknown numbers are exit 2 before anything starts, and all of them are named."""
    hub.issues(1)
    answer = hub.shop.run("1", "8", "9")
    assert answer.code == 2
    assert "unknown issue `8`" in answer.err
    assert "unknown issue `9`" in answer.err
    assert not hub.shop.runs()


def test_a_failed_pull_request_is_a_failed_job(hub: GithubShop) -> None:
    """A creation that GitHub refuses is no success; running the issue again makes the pull request and nothing else."""
    hub.issues(1)
    hub.server.fail(Answer(403, "Resource not accessible by integration"), "POST", "/pulls$")
    failed = hub.shop.run("1")
    assert failed.code == 1
    assert failed.statuses == {"1": "failed"}
    assert failed.job("1")["reason"].startswith("pull request failed: ")
    assert failed.job("1")["branch"] == "weft/1-thing-1"
    again = hub.shop.run("1")
    assert again.code == 0, again.err
    assert again.statuses == {"1": "passed"}
    assert list(hub.pulls()) == ["weft/1-thing-1"]
    assert hub.shop.sessions() == ["1"], "the agent ran once"
    skipped = hub.shop.run("1")
    assert skipped.statuses == {"1": "skipped"}
    assert skipped.job("1")["pull_request"] == again.job("1")["pull_request"]
