"""How the client meets limits, faults, and answers that have not changed."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest
from tests.support.github_client import Visitor
from tests.support.github_server import Answer, DoneButFailed, Drop, GithubServer, Repo, Slow

from weft.errors import GithubError
from weft.sources.github.answers import AnswersOnDisk
from weft.sources.github.client import UnclearError
from weft.sources.github.repo import GithubRepo


async def test_the_primary_limit_is_waited_out(
    visitor: Visitor, repo: GithubRepo, shop: Repo, github: GithubServer
) -> None:
    """Used up in the middle: a message, a wait until the reset, and the answer; never a failure."""
    shop.issue(1, "Add login")
    github.limit.limit = 2
    for _ in range(3):
        await visitor.client.get(repo.path("milestones"), {"state": "all"})
        await visitor.client.get(repo.path("issues", 1), {"n": str(_)})
    assert visitor.clock.slept == [pytest.approx(3600, abs=2)]
    assert visitor.said == ["GitHub's rate limit is used up: waiting 1h 0m, then going on"]
    assert {seen.status for seen in github.asked()} == {200, 304}


async def test_a_limit_that_others_used_up(
    visitor: Visitor, repo: GithubRepo, shop: Repo, github: GithubServer
) -> None:
    """Another process shares the token: the refusal comes unannounced, and is waited out by the server's clock."""
    shop.issue(1, "Add login")
    github.limit.used, github.limit.reset = github.limit.limit, visitor.clock.now() + 120
    await visitor.client.get(repo.path("issues", 1))
    assert visitor.clock.slept == [pytest.approx(121, abs=1)]
    assert visitor.said == ["GitHub's rate limit is used up: waiting 2m 1s, then going on"]
    assert [seen.status for seen in github.asked()] == [403, 200]


@pytest.mark.parametrize("status", [403, 429])
async def test_the_secondary_limit_is_waited_out(
    status: int, visitor: Visitor, repo: GithubRepo, shop: Repo, github: GithubServer
) -> None:
    """With retry-after, as long as it says; without, a minute and then longer. Writing waits as reading does."""
    shop.issue(1, "Add login")
    slower = "You have exceeded a secondary rate limit."
    github.fail(Answer(status, slower, {"Retry-After": "30"}), "POST")
    github.fail(Answer(status, slower), "POST", times=2)
    await visitor.client.send("POST", repo.path("issues", 1, "comments"), {"body": "x"}, repeat=False)
    assert visitor.clock.slept == [31, 120, 240]
    assert visitor.said[0] == "GitHub asks for fewer requests for a while: waiting 31s, then going on"
    assert len(shop.issues[1].comments) == 1


async def test_nobody_asks_while_a_limit_holds(
    visitor: Visitor, repo: GithubRepo, shop: Repo, github: GithubServer
) -> None:
    """One refusal is enough for all tasks: none asks before the limit is over."""
    for number in range(1, 6):
        shop.issue(number, "Add login")
    github.fail(Answer(429, "slow down", {"Retry-After": "30"}))
    await visitor.client.get(repo.path("issues", 1))
    await asyncio.gather(*(visitor.client.get(repo.path("issues", number)) for number in range(2, 6)))
    assert [seen.status for seen in github.asked()] == [429, 200, 200, 200, 200, 200]


async def test_one_word_for_all(visitor: Visitor, repo: GithubRepo, shop: Repo, github: GithubServer) -> None:
    """Many requests refused at the same time: the user reads it once."""
    for number in range(1, 6):
        shop.issue(number, "Add login")
    github.fail(Answer(429, "slow down", {"Retry-After": "30"}), times=5)
    visitor.client._clock = together = _Together(5)
    await asyncio.gather(*(visitor.client.get(repo.path("issues", number)) for number in range(1, 6)))
    assert together.waiting == 5
    assert visitor.said == ["GitHub asks for fewer requests for a while: waiting 31s, then going on"]


class _Together:
    """A clock that goes on when so many wait."""

    def __init__(self, many: int) -> None:
        self.waiting = 0
        self._all_there = asyncio.Barrier(many)
        self._time = 0.0

    def now(self) -> float:
        return self._time

    async def sleep(self, seconds: float) -> None:
        self.waiting += 1
        await self._all_there.wait()
        self._time = 1000.0


async def test_changes_are_spaced(visitor: Visitor, repo: GithubRepo, shop: Repo) -> None:
    """GitHub asks for a second between changes; reading need not wait."""
    shop.issue(1, "Add login")
    for _ in range(3):
        await visitor.client.get(repo.path("issues", 1))
        await visitor.client.send("PATCH", repo.path("issues", 1), {"state": "closed"})
    assert visitor.clock.slept == [1, 1]


async def test_a_refusal_is_no_limit(visitor: Visitor, repo: GithubRepo, shop: Repo, github: GithubServer) -> None:
    """A 403 for want of rights is told at once, with what is needed."""
    github.fail(Answer(403, "Resource not accessible by personal access token"))
    with pytest.raises(GithubError, match="403: Resource not accessible") as caught:
        await visitor.client.get(repo.path("issues", 1))
    assert caught.value.hint == (
        "the token from `GITHUB_TOKEN` needs the right to read and write issues, pull requests and contents"
    )
    assert visitor.clock.slept == []


@pytest.mark.parametrize("fault", [Answer(502, "Bad Gateway"), Drop()])
async def test_faults_are_tried_again(
    fault: Answer | Drop, visitor: Visitor, repo: GithubRepo, shop: Repo, github: GithubServer
) -> None:
    """5xx and cut connections: again after 1, 2, 4 seconds."""
    shop.issue(1, "Add login")
    github.fail(fault, times=3)
    await visitor.client.get(repo.path("issues", 1))
    assert visitor.clock.slept == [1, 2, 4]


async def test_a_fault_that_stays(visitor: Visitor, repo: GithubRepo, shop: Repo, github: GithubServer) -> None:
    """Six tries, then an error that says what was asked and what came."""
    github.fail(Answer(503, "Service Unavailable"), times=100)
    with pytest.raises(GithubError, match="answered `GET /api/v3/repos/acme/shop` with 503: Service Unavailable"):
        await visitor.client.get(repo.path())
    assert visitor.client.calls == 6


async def test_nobody_there(visitor: Visitor, github: GithubServer, repo: GithubRepo) -> None:
    """A server that cannot be reached is tried again as well, and then named."""
    github.shutdown()
    github.server_close()
    with pytest.raises(GithubError, match=r"GitHub at `127\.0\.0\.1:\d+` did not answer"):
        await visitor.client.send("POST", repo.path("pulls"), {}, repeat=False)
    assert visitor.clock.slept == [1, 2, 4, 8, 16]


@pytest.mark.parametrize("fault", [DoneButFailed(), Drop(after=True)])
async def test_what_must_not_be_done_twice(
    fault: DoneButFailed | Drop, visitor: Visitor, repo: GithubRepo, shop: Repo, github: GithubServer
) -> None:
    """An answer that does not come says nothing of what was done: the caller has to look."""
    shop.issue(1, "Add login")
    github.fail(fault, "POST")
    with pytest.raises(UnclearError):
        await visitor.client.send("POST", repo.path("issues", 1, "comments"), {"body": "x"}, repeat=False)
    assert len(shop.issues[1].comments) == 1


async def test_what_has_not_changed_is_free(tmp_path: Path, github: GithubServer, repo: GithubRepo, shop: Repo) -> None:
    """The next run, another process, asks with the ETag, and gets all pages from the state folder."""
    for number in range(1, 151):
        shop.issue(number, "Add login")
    bodies = []
    for _ in range(2):
        visitor = Visitor(github, answers=AnswersOnDisk(tmp_path / "answers"))
        async with visitor.client as client:
            bodies.append([page async for page in client.pages(repo.path("issues"))])
    assert bodies[0] == bodies[1]
    assert [seen.status for seen in github.asked()] == [200, 200, 304, 304]
    assert (visitor.client.calls, visitor.client.unchanged) == (2, 2)
    assert github.limit.used == 2
    assert {file.stat().st_mode & 0o777 for file in (tmp_path / "answers").iterdir()} == {0o600}
    assert (tmp_path / "answers").stat().st_mode & 0o777 == 0o700


async def test_a_change_is_seen(visitor: Visitor, repo: GithubRepo, shop: Repo) -> None:
    """An answer that was kept is not used once the issue has changed."""
    shop.issue(1, "Add login")
    before = await visitor.client.get(repo.path("issues", 1))
    shop.issues[1].title = "Add logout"
    after = await visitor.client.get(repo.path("issues", 1))
    assert b"Add login" in before
    assert b"Add logout" in after


async def test_a_broken_file_costs_a_request(
    tmp_path: Path, github: GithubServer, repo: GithubRepo, shop: Repo
) -> None:
    """What is kept is a help, never in the way."""
    shop.issue(1, "Add login")
    folder = tmp_path / "answers"
    visitor = Visitor(github, answers=AnswersOnDisk(folder))
    async with visitor.client as client:
        before = await client.get(repo.path("issues", 1))
        for file in folder.iterdir():
            file.write_bytes(b"broken")
        assert await client.get(repo.path("issues", 1)) == before
    assert [seen.status for seen in github.asked()] == [200, 200]


async def test_the_loop_goes_on_meanwhile(visitor: Visitor, repo: GithubRepo, shop: Repo, github: GithubServer) -> None:
    """A slow answer holds up nobody else."""
    shop.issue(1, "Add login")
    shop.issue(2, "Add logout")
    slow = Slow()
    github.fail(slow, path="/issues/1$")
    asking = asyncio.create_task(visitor.client.get(repo.path("issues", 1)))
    await asyncio.to_thread(slow.asked.wait)
    await visitor.client.get(repo.path("issues", 2))
    assert not asking.done()
    slow.go_on.set()
    assert b"Add login" in await asking


async def test_a_wrong_token(
    github: GithubServer, repo: GithubRepo, shop: Repo, caplog: pytest.LogCaptureFixture
) -> None:
    """SEC-3: refused with a hint; the token is in no message, no chain of errors and no log."""
    caplog.set_level(logging.DEBUG)
    secret = "ghp_wrongwrongwrongwrongwrongwrongwrong1"
    visitor = Visitor(github, token=secret)
    async with visitor.client as client:
        with pytest.raises(GithubError, match="401: Bad credentials") as caught:
            await client.get(repo.path())
    assert caught.value.hint is not None
    assert "`GITHUB_TOKEN`" in caught.value.hint
    assert caught.value.__suppress_context__
    assert secret not in repr(caught.value) + caught.value.hint + repr(visitor.token) + caplog.text


async def test_a_server_that_repeats_the_token(visitor: Visitor, repo: GithubRepo, github: GithubServer) -> None:
    """SEC-3: even what the server says is shown without it."""
    github.fail(Answer(400, f"what is {github.token}?"))
    with pytest.raises(GithubError, match=r"what is \*\*\*\?"):
        await visitor.client.get(repo.path())


async def test_the_token_goes_to_no_other_server(
    visitor: Visitor, repo: GithubRepo, shop: Repo, github: GithubServer
) -> None:
    """SEC-3: a link to another server is not followed."""
    link = {"Link": '<http://127.0.0.1:9/steal>; rel="next"'}
    github.fail(Answer(200, "", link))
    with pytest.raises(GithubError, match="next page is on another server"):
        [page async for page in visitor.client.pages(repo.path("issues"))]
