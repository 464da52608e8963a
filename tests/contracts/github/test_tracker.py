"""Labels, comments and states: as they are to be, however often it is said."""

from __future__ import annotations

import pytest
from tests.support.github_client import Visitor
from tests.support.github_server import Answer, DoneButFailed, Drop, GithubServer, Repo

from weft.errors import GithubError
from weft.sources.github.repo import GithubRepo
from weft.sources.github.tracker import Tracker


@pytest.fixture
def tracker(visitor: Visitor, repo: GithubRepo, shop: Repo) -> Tracker:
    shop.issue(1, "Add login", labels=["ready"])
    return Tracker(visitor.client, repo, visitor.clock)


async def test_labels(tracker: Tracker, shop: Repo) -> None:
    """Added and taken away; a second time changes nothing, also for labels with odd names."""
    for _ in range(2):
        await tracker.ensure_labels(1, add=["weft: done", "ready"], remove=["../../1", "a/b"])
    assert shop.issues[1].labels == ["ready", "weft: done"]
    shop.issues[1].labels.append("../../2/labels/x")
    for _ in range(2):
        await tracker.ensure_labels(1, remove=["../../2/labels/x", "ready"])
    assert shop.issues[1].labels == ["weft: done"]


async def test_one_comment(tracker: Tracker, shop: Repo, github: GithubServer) -> None:
    """Made once, then brought up to date, then left as it is."""
    first = await tracker.ensure_comment(1, "shop#1:ended", "Working on it.")
    second = await tracker.ensure_comment(1, "shop#1:ended", "Done.")
    third = await tracker.ensure_comment(1, "shop#1:ended", "Done.")
    assert (first.created, second.created, third.created) == (True, False, False)
    assert [comment.body for comment in shop.issues[1].comments] == ["Done.\n\n<!-- weft:shop#1:ended -->"]
    assert len(github.asked("PATCH")) == 1


@pytest.mark.parametrize("fault", [DoneButFailed(), Drop(after=True), Drop(), Answer(502)])
async def test_never_a_second_comment(
    fault: DoneButFailed | Drop | Answer, tracker: Tracker, shop: Repo, github: GithubServer
) -> None:
    """A creation without an answer: it is looked first whether it is there."""
    github.fail(fault, "POST")
    await tracker.ensure_comment(1, "ended", "Done.")
    assert len(shop.issues[1].comments) == 1


async def test_a_comment_on_the_second_page(tracker: Tracker, shop: Repo) -> None:
    """All pages are looked through for the mark."""
    for _ in range(130):
        shop.comment(1, "Me too.")
    await tracker.ensure_comment(1, "ended", "Done.")
    await tracker.ensure_comment(1, "ended", "Done.")
    assert len(shop.issues[1].comments) == 131


async def test_a_strangers_mark(tracker: Tracker, shop: Repo) -> None:
    """Nobody without write access can take the place of Weft's comment; a bot may be Weft itself."""
    shop.comment(1, "<!-- weft:ended -->", author="mallory", association="NONE")
    assert (await tracker.ensure_comment(1, "ended", "Done.")).created
    shop.comment(1, "<!-- weft:begun -->", author="actions[bot]", association="NONE", bot=True)
    assert not (await tracker.ensure_comment(1, "begun", "Begun.")).created


async def test_closed(tracker: Tracker, shop: Repo) -> None:
    """Closing what is closed is no error."""
    for _ in range(2):
        await tracker.ensure_closed(1)
    assert shop.issues[1].state == "closed"


async def test_what_is_not_there(tracker: Tracker) -> None:
    """An issue that is gone is an error that says so, but a label that is gone is as wanted."""
    with pytest.raises(GithubError, match="404"):
        await tracker.ensure_comment(9, "ended", "Done.")
    await tracker.ensure_labels(1, remove=["nothing"])
