"""Which issues of GitHub are run: by number, label and milestone, all pages, and what they depend on."""

from __future__ import annotations

import json

from tests.support.github_server import Answer
from tests.support.github_shop import GithubShop


def planned(hub: GithubShop, *args: str) -> dict[str, dict[str, object]]:
    """What `--dry-run` says of each issue."""
    answer = hub.shop.run(*args, "--dry-run")
    assert answer.code == 0, answer.err
    return {job["issue"]: job for job in json.loads(answer.out)["jobs"]}


def test_every_way_to_name_one(hub: GithubShop) -> None:
    """RUN-1: `7`, `#7` and `acme/shop#7` are one issue, which runs once; a prompt goes beside it."""
    hub.issues(7)
    found = planned(hub, "7", "#7", "acme/shop#7", "shop#7", "fix the typo in the header")
    assert len(found) == 2
    assert found["7"]["branch"] == "weft/7-thing-7"


def test_by_label_and_milestone(hub: GithubShop) -> None:
    """Open ones that have all labels and the milestone, the lowest first, no more than the limit."""
    for number in range(1, 8):
        labels = ["agent", "bug"] if number % 2 else ["agent"]
        hub.repo.issue(number, f"Thing {number}", labels=labels, milestone="M1" if number > 2 else None)
    hub.repo.issues[3].state = "closed"
    assert list(planned(hub, "--label", "agent", "--label", "bug")) == ["1", "5", "7"]
    assert list(planned(hub, "--label", "agent", "--milestone", "M1", "--limit", "2")) == ["4", "5"]
    assert list(planned(hub, "2", "--milestone", "M1", "--label", "bug")) == ["2", "5", "7"]


def test_what_cannot_be_found(hub: GithubShop) -> None:
    """An unknown milestone is exit 2 with a guess; a label that no open issue has is nothing to do."""
    hub.repo.issue(1, "Thing", milestone="Sprint 1")
    answer = hub.shop.run("--milestone", "Sprint 2")
    assert (answer.code, "did you mean `Sprint 1`?" in answer.err) == (2, True)
    nothing = hub.shop.run("--label", "agent")
    assert (nothing.code, nothing.document["jobs"]) == (0, [])
    assert "there is nothing to do" in nothing.err
    neither = hub.shop.weft("run")
    assert (neither.code, "Missing argument" in neither.err) == (2, True)
    alone = hub.shop.weft("run", "1", "--limit", "3")
    assert (alone.code, "--limit goes with" in alone.err) == (2, True)


def test_a_folder_has_labels_too(hub: GithubShop) -> None:
    """The same flags choose from a folder of issues."""
    hub.shop.settings()
    hub.shop.issue("1", front="labels: [agent]\nmilestone: M1")
    hub.shop.issue("2", front="labels: [agent]\nstate: closed")
    hub.shop.issue("3", front="milestone: M1")
    assert list(planned(hub, "--label", "agent")) == ["1"]
    assert list(planned(hub, "--milestone", "M1", "--limit", "5")) == ["1", "3"]


def test_250_issues_of_a_milestone(hub: GithubShop) -> None:
    """All pages are read: 250 issues with five requests, and one for each that has comments."""
    for number in range(1, 251):
        hub.repo.issue(number, f"Thing {number}", milestone="M1")
    hub.repo.comment(9, "One more thing.")
    found = planned(hub, "--milestone", "M1")
    assert list(found) == [str(number) for number in range(1, 251)]
    assert len(hub.server.asked()) == 1 + 3 + 1 + 1, "milestones, pages, the comments, open pull requests"


def test_dependencies(hub: GithubShop) -> None:
    """WAVE-3: text and GitHub's own relations; what is outside the run counts as done once it is closed."""
    hub.issues(1, 2, 3)
    hub.repo.issue(4, "On one", "Depends on #1")
    hub.repo.issue(5, "On closed", "Depends on: #2", blocked_by=[hub.repo.issues[1]])
    hub.repo.issue(6, "On open", "Depends on #3")
    hub.repo.issues[2].state = "closed"
    found = planned(hub, "1", "4", "5", "6")
    assert {issue: job["depends_on"] for issue, job in found.items()} == {
        "1": [],
        "4": ["shop#1"],
        "5": ["shop#1"],
        "6": [],
    }
    assert (found["6"]["status"], found["5"]["status"]) == ("parked", "to_run")
    unknown = hub.shop.run("--dry-run", str(hub.repo.issue(7, "On nothing", "Depends on #99").number))
    assert (unknown.code, "#7 depends on #99" in unknown.err) == (2, True)


def test_dependencies_on_other_repos(hub: GithubShop) -> None:
    """WAVE-3: GitHub is asked whether the other repo's issue is closed."""
    other = hub.server.repo("acme/other")
    other.issue(7, "There", state="closed")
    other.issue(8, "There too")
    hub.repo.issue(1, "On closed", "Depends on acme/other#7")
    hub.repo.issue(2, "On open", "Depends on acme/other#8")
    found = planned(hub, "1", "2")
    assert {issue: job["status"] for issue, job in found.items()} == {"1": "to_run", "2": "parked"}


def test_ten_issues_take_a_known_number_of_calls(hub: GithubShop) -> None:
    """One to read each, one for all open pull requests, two for each pull request; it is said, twice."""
    hub.issues(*range(1, 11))
    answer = hub.shop.weft("run", *map(str, range(1, 11)), "--concurrency", "5")
    assert answer.code == 0, answer.err
    assert len(hub.pulls()) == 10
    assert len(hub.server.asked()) == 10 + 1 + 10 * 2
    assert "GitHub: 10 issues read with 11 API calls" in answer.lines
    assert "GitHub: 31 API calls in all" in answer.lines


def test_limits_are_waited_for(hub: GithubShop) -> None:
    """Refusals by the rate limit, before and in the middle of a run: it says so, waits, and goes on."""
    hub.issues(1)
    limited = Answer(403, "You have exceeded a secondary rate limit", {"Retry-After": "0"})
    hub.server.fail(limited, "GET", "/issues/1$")
    hub.server.fail(limited, "POST", "/pulls$")
    answer = hub.shop.weft("run", "1")
    assert answer.code == 0, answer.err
    said = [line for line in answer.lines if "GitHub asks for fewer requests for a while: waiting" in line]
    assert len(said) == 2
    assert len(hub.pulls()) == 1


def test_no_token(hub: GithubShop) -> None:
    """Without a token nothing starts, and the message says what to do."""
    hub.issues(1)
    answer = hub.shop.run("1", GITHUB_TOKEN="", PATH=hub.shop.environment["PATH"])
    assert answer.code == 2
    assert "no token for GitHub" in answer.err
    assert not hub.shop.runs()
