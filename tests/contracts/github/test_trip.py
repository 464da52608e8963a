"""The parts together: issues in, branches and pull requests out, also when it is interrupted in between."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.git_repo import GitRepo
from tests.support.github_client import LeapingClock
from tests.support.github_server import Answer, GithubServer, Repo

from weft.assembly.github import Github, address_of, open_github
from weft.errors import GithubError, UsageError
from weft.settings.environment import Environment
from weft.settings.sections import Issues
from weft.sources.github.pull_request_text import IssueRole, PullRequestFacts, pull_request_body, pull_request_title
from weft.sources.github.pull_requests import PullRequest, PullRequestAsk
from weft.sources.github.selection import Selection
from weft.workspaces.git import Git
from weft.workspaces.repository import Repository, find_repo


async def repository_of(local: GitRepo) -> Repository:
    git = Git(local.environment)
    return Repository(git, await find_repo(git, local.path))


class Trip:
    """A user with a clone, as one process of Weft after the other sees it."""

    def __init__(self, hub: Github, local: GitRepo, environment: Environment) -> None:
        self.hub = hub
        self._local = local
        self._environment = environment

    async def push(self, branch: str) -> bool:
        tip = self._local.tip(branch)
        return await self.hub.push(Git(self._local.environment), self._local.path, branch, tip, self._environment)

    async def open(self, number: str, branch: str, base: str = "main") -> PullRequest:
        facts = PullRequestFacts((number,), IssueRole.CLOSED, "r-1")
        title = pull_request_title(f"Issue {number}")
        return await self.hub.pull_request(PullRequestAsk(branch, base, title, pull_request_body(facts)))


@pytest.fixture
async def trip(github: GithubServer, shop: Repo, local: GitRepo, tmp_path: Path) -> AsyncIterator[Trip]:
    local.git("push", "-q", str(shop.folder), "main")
    local.git("remote", "add", "origin", shop.clone_url)
    variables = {**local.environment, "GITHUB_TOKEN": github.token, "WEFT_HOME": str(tmp_path / "state")}
    environment = Environment(variables, local.path)
    clock = LeapingClock()
    github.clock = clock.now
    address = await address_of(Issues(), await repository_of(local))
    async with open_github(address, environment, clock, lambda text: None) as hub:
        yield Trip(hub, local, environment)


async def test_three_issues(trip: Trip, shop: Repo, local: GitRepo, github: GithubServer) -> None:
    """Three issues, one on top of another, to three pull requests, in a number of requests that is known."""
    for number in (1, 2, 3):
        shop.issue(number, f"Issue {number}", "Depends on #1" if number == 2 else "")
    read = await trip.hub.issues(Selection(numbers=(1, 2, 3)))
    assert [(issue.id, issue.depends_on) for issue in read.chosen] == [("1", ()), ("2", ("1",)), ("3", ())]
    for number, start in ((1, "main"), (2, "weft/1"), (3, "main")):
        local.branch(f"weft/{number}", {f"{number}.txt": "x"}, start=start)
        assert await trip.push(f"weft/{number}")
        await trip.open(str(number), f"weft/{number}", base=start)
    found = {pull.head: (pull.base, (pull.body or "").splitlines()[1]) for pull in shop.pulls.values()}
    assert found == {
        "weft/1": ("main", "Closes #1"),
        "weft/2": ("weft/1", "Closes #2"),
        "weft/3": ("main", "Closes #3"),
    }
    assert trip.hub.client.calls == len(github.asked()) == 3 + 3 * 2


async def test_killed_between_push_and_pull_request(
    trip: Trip, shop: Repo, local: GitRepo, github: GithubServer
) -> None:
    """Taken up again, with a commit more: exactly one pull request with all commits."""
    local.branch("weft/1", {"a.txt": "a"})
    await trip.push("weft/1")
    github.fail(Answer(422, "something else is wrong"), "POST")
    with pytest.raises(GithubError, match="something else is wrong"):
        await trip.open("1", "weft/1")
    local.git("branch", "-f", "weft/1", local.branch("more", {"b.txt": "b"}, start="weft/1"))
    for _ in range(2):
        await trip.push("weft/1")
        made = await trip.open("1", "weft/1")
    assert list(shop.pulls) == [made.number]
    assert len(shop.git.commits("weft/1")) == 2
    found = await trip.hub.open_pull_request("weft/1")
    assert found is not None
    assert found.number == made.number


async def test_limits_in_the_middle(trip: Trip, shop: Repo, local: GitRepo, github: GithubServer) -> None:
    """The limit is used up between two steps: it waits and goes on."""
    shop.issue(1, "Issue 1")
    github.limit.limit = 2
    local.branch("weft/1", {"a.txt": "a"})
    await trip.hub.issues(Selection(numbers=(1,)))
    await trip.push("weft/1")
    await trip.open("1", "weft/1")
    await trip.hub.tracker.ensure_labels(1, add=["done"])
    assert len(shop.pulls) == 1
    assert shop.issues[1].labels == ["done"]


async def test_rights(trip: Trip, shop: Repo) -> None:
    """What `weft doctor` tells: whether the token may push."""
    assert (await trip.hub.rights()).may_push
    shop.permissions["push"] = False
    rights = await trip.hub.rights()
    assert (rights.full_name, rights.default_branch, rights.may_push) == ("acme/shop", "main", False)


async def test_which_repo(local: GitRepo) -> None:
    """From settings, else from the first remote on GitHub, `origin` before others; the address has no secret in it."""
    repository = await repository_of(local)
    with pytest.raises(UsageError, match="has no remote on GitHub"):
        await address_of(Issues(), repository)
    local.git("remote", "add", "backup", "/srv/shop.git")
    local.git("remote", "add", "fork", "git@github.com:ada/shop.git")
    local.git("remote", "add", "origin", "https://ada:s3cret@github.com/acme/shop.git")
    found = await address_of(Issues(), repository)
    assert (found.repo.full_name, found.push_url) == ("acme/shop", "https://github.com/acme/shop.git")
    named = await address_of(Issues(repo="Ada/Shop"), repository)
    assert (named.repo.full_name, named.push_url) == ("Ada/Shop", "git@github.com:ada/shop.git")
    other = await address_of(Issues(repo="x/y", api_url="https://ghe.example.com/api/v3"), repository)
    assert other.push_url == "https://ghe.example.com/x/y.git"
