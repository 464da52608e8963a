"""Exactly one pull request per branch, whatever happened before."""

from __future__ import annotations

import pytest
from tests.git_repo import GitRepo
from tests.support.github_client import Visitor
from tests.support.github_server import Answer, DoneButFailed, Drop, GithubServer, Repo

from weft.errors import GithubError
from weft.sources.github.pull_requests import PullRequest, PullRequestAsk, ensure_pull_request, find_pull_request
from weft.sources.github.repo import GithubRepo

ASK = PullRequestAsk(head="weft/1-login", base="main", title="Add login", body="Closes #1")


class Opening:
    def __init__(self, visitor: Visitor, repo: GithubRepo) -> None:
        self._visitor = visitor
        self._repo = repo

    async def ensure(self, ask: PullRequestAsk = ASK) -> PullRequest:
        return await ensure_pull_request(self._visitor.client, self._repo, self._visitor.clock, ask)


@pytest.fixture
def opening(visitor: Visitor, repo: GithubRepo, shop: Repo, local: GitRepo) -> Opening:
    shop.issue(1, "Add login")
    local.branch("weft/1-login", {"login.py": "pass\n"})
    local.branch("weft/2-logout", {"logout.py": "pass\n"}, start="weft/1-login")
    local.git("push", "-q", str(shop.folder), "main", "weft/1-login", "weft/2-logout")
    return Opening(visitor, repo)


async def test_made_once(opening: Opening, shop: Repo, github: GithubServer) -> None:
    """Two requests to make it; repeated, one that finds it as it is to be."""
    made = await opening.ensure()
    again = await opening.ensure()
    assert (made.created, again.created, made.number) == (True, False, again.number)
    assert made.url == f"{github.url}/acme/shop/pull/{made.number}"
    [pull] = shop.pulls.values()
    assert (pull.head, pull.base, pull.title, pull.draft) == ("weft/1-login", "main", "Add login", False)
    assert pull.body == "<!-- weft:begin -->\nCloses #1\n<!-- weft:end -->"
    assert [seen.method for seen in github.asked()] == ["GET", "POST", "GET"]


async def test_brought_up_to_date(opening: Opening, shop: Repo) -> None:
    """The text is replaced, what people wrote around it stays, and so does their title; the base follows."""
    await opening.ensure()
    [pull] = shop.pulls.values()
    pull.title = "Login, at last"
    pull.body = f"Look at line 7.\r\n\r\n{pull.body}\r\n\r\nThanks!"
    local = PullRequestAsk(head=ASK.head, base="weft/2-logout", title="Add login", body="Closes #1\n\nNew.")
    await opening.ensure(local)
    assert pull.title == "Login, at last"
    assert pull.base == "weft/2-logout"
    assert pull.body == ("Look at line 7.\n\n<!-- weft:begin -->\nCloses #1\n\nNew.\n<!-- weft:end -->\n\nThanks!")


async def test_a_pull_request_of_a_person(opening: Opening, shop: Repo) -> None:
    """One that a person opened for the branch is taken, its text kept."""
    theirs = shop.pull("weft/1-login", "main", "Mine", "My words.")
    found = await opening.ensure()
    assert (found.number, found.created) == (theirs.number, False)
    assert theirs.body == "My words.\n\n<!-- weft:begin -->\nCloses #1\n<!-- weft:end -->"


async def test_base_of_a_chain_and_draft(opening: Opening, shop: Repo) -> None:
    """RUN-5: each one's base is the branch before it."""
    chained = PullRequestAsk(head="weft/2-logout", base="weft/1-login", title="Add logout", body="x", draft=True)
    await opening.ensure(chained)
    [pull] = shop.pulls.values()
    assert (pull.base, pull.draft) == ("weft/1-login", True)


@pytest.mark.parametrize("fault", [DoneButFailed(), Drop(after=True), Drop(), Answer(502)])
async def test_never_a_second_one(
    fault: DoneButFailed | Drop | Answer, opening: Opening, shop: Repo, github: GithubServer
) -> None:
    """A creation without an answer: it is looked first whether it is there."""
    github.fail(fault, "POST")
    await opening.ensure()
    assert len(shop.pulls) == 1


async def test_a_duplicate_is_found(opening: Opening, shop: Repo, github: GithubServer) -> None:
    """422 because another made it in between: that one is taken."""
    theirs = shop.pull("weft/1-login", "main", "Add login", "")
    theirs.state = "closed"
    github.fail(Answer(422, "A pull request already exists for acme:weft/1-login."), "POST")

    async def reopen(seconds: float) -> None:
        theirs.state = "open"

    opening._visitor.clock.sleep = reopen  # type: ignore[method-assign]
    assert (await opening.ensure()).number == theirs.number
    assert len(shop.pulls) == 1


async def test_a_closed_one_is_left_alone(opening: Opening, shop: Repo) -> None:
    """What a person closed stays closed; work that is done anew gets a new one."""
    closed = shop.pull("weft/1-login", "main", "Add login", "")
    closed.state = "closed"
    made = await opening.ensure()
    assert made.number != closed.number
    assert closed.state == "closed"


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (PullRequestAsk("weft/9-gone", "main", "x", "x"), "PullRequest head invalid"),
        (PullRequestAsk("weft/1-login", "gone", "x", "x"), "PullRequest base invalid"),
        (PullRequestAsk("main", "main", "x", "x"), "No commits between main and main"),
    ],
)
async def test_what_github_refuses(ask: PullRequestAsk, said: str, opening: Opening, shop: Repo) -> None:
    """A creation that fails is a failure with GitHub's own words, not a success."""
    with pytest.raises(GithubError, match=said):
        await opening.ensure(ask)
    assert not shop.pulls


async def test_finding(opening: Opening, visitor: Visitor, repo: GithubRepo) -> None:
    """RUN-20: whether a branch has an open pull request."""
    assert await find_pull_request(visitor.client, repo, "weft/1-login") is None
    made = await opening.ensure()
    found = await find_pull_request(visitor.client, repo, "weft/1-login")
    assert found is not None
    assert found.number == made.number
