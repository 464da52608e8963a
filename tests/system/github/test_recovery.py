"""Pull requests as a step that goes on after a crash, a stop, a refusal: exactly one, with all commits."""

from __future__ import annotations

import signal

import pytest
from tests.support.github_server import Answer, DoneButFailed, Slow
from tests.support.github_shop import GithubShop
from tests.system.github.dying import run_dying

from weft.model.events import JobPublishing, PublishEnded

BRANCH = "weft/1-thing-1"


@pytest.fixture
def slow(hub: GithubShop) -> Slow:
    """What the server holds back is let go in the end, whatever the test does."""
    hub.issues(1)
    return Slow()


def killed(hub: GithubShop, slow: Slow, method: str, skip: int) -> None:
    hub.server.fail(slow, method, "/pulls$", skip=skip)
    started = hub.shop.start("run", "1", "--json")
    started.until(slow.asked.is_set)
    started.send(signal.SIGKILL)
    started.process.wait()


def recovered(hub: GithubShop) -> None:
    answer = hub.shop.weft("recover", "--json")
    assert answer.code == 0, answer.err
    assert answer.statuses == {"1": "passed"}
    pull = hub.pulls()[BRANCH]
    assert answer.job("1")["pull_request"] == pull.number
    assert hub.repo.git.tip(BRANCH) == answer.job("1")["commit"]
    assert len(hub.pushed(BRANCH)) == 1
    assert hub.shop.sessions() == ["1"], "nothing is paid for twice"
    assert not hub.shop.debris()


def test_killed_between_push_and_pull_request(hub: GithubShop, slow: Slow) -> None:
    """RECOVER-1: the branch is there, the pull request is not: it is made once, with all commits."""
    killed(hub, slow, "GET", 1)
    assert hub.repo.git.tip(BRANCH)
    assert not hub.pulls()
    slow.go_on.set()
    recovered(hub)


def test_killed_before_the_answer(hub: GithubShop, slow: Slow) -> None:
    """RECOVER-1: it was made, and Weft did not live to hear so: it is found, and not made again."""
    killed(hub, slow, "POST", 0)
    slow.go_on.set()
    recovered(hub)


def test_a_new_run_takes_it_over(hub: GithubShop, slow: Slow) -> None:
    """RECOVER-1: `weft run` after the crash makes the pull request of the work that is there, and pays for nothing."""
    killed(hub, slow, "GET", 1)
    slow.go_on.set()
    answer = hub.shop.run("1")
    assert answer.statuses == {"1": "passed"}, answer.err
    assert "done by this run now" in answer.err
    assert list(hub.pulls()) == [BRANCH]
    assert hub.shop.sessions() == ["1"]


@pytest.mark.parametrize("when", ["before", "after"])
def test_killed_around_the_step(hub: GithubShop, when: str) -> None:
    """RECOVER-5: at the event that begins the step, and at the one that ends it."""
    hub.issues(1)
    for kind in (JobPublishing, PublishEnded):
        hub.repo.pulls.clear()
        run_dying(hub, when, kind, "run", "1", "--force")
        answer = hub.shop.weft("recover", "--json")
        assert answer.statuses == {"1": "passed"}, answer.err
        assert list(hub.pulls()) == [BRANCH]


def test_an_error_though_it_was_made(hub: GithubShop) -> None:
    """An error whose request was carried out all the same makes no second pull request."""
    hub.issues(1)
    hub.server.fail(DoneButFailed(), "POST", "/pulls$")
    answer = hub.shop.run("1")
    assert answer.statuses == {"1": "passed"}, answer.err
    assert list(hub.pulls()) == [BRANCH]


def test_retry_takes_up_at_the_pull_request(hub: GithubShop) -> None:
    """`weft retry` in a run under way pushes and asks again; no agent works again."""
    hub.issues(1, 2)
    hub.shop.does("exec-2", "hold two; echo 2 > 2.txt")
    hub.server.fail(Answer(403, "push declined"), "POST", "git-receive-pack")
    started = hub.shop.start("run", "1", "2", "--json")
    started.until(hub.shop.reached("two"))
    started.until(hub.shop.has_event(PublishEnded))
    assert not hub.pulls()
    assert hub.shop.weft("retry", "1").code == 0
    started.until(hub.shop.has_event(PublishEnded, 2))
    hub.shop.go("two")
    answer = started.wait()
    assert answer.statuses == {"1": "passed", "2": "passed"}, answer.err
    assert sorted(hub.shop.sessions()) == ["1", "2"]
    assert set(hub.pulls()) == {BRANCH, "weft/2-thing-2"}


def test_stopped_while_it_waits(hub: GithubShop, slow: Slow) -> None:
    """RUN-14: Ctrl-C does not wait for GitHub; the next run makes the pull request of the work that is there."""
    hub.server.fail(slow, "POST", "/pulls$")
    started = hub.shop.start("run", "1", "--json")
    started.until(slow.asked.is_set)
    started.send(signal.SIGINT)
    answer = started.wait()
    assert answer.code == 130
    assert answer.statuses == {"1": "cancelled"}
    hub.server.faults.clear()
    slow.go_on.set()
    again = hub.shop.run("1")
    assert again.code == 0, again.err
    assert list(hub.pulls()) == [BRANCH]
    assert hub.shop.sessions() == ["1"]


def test_forced_again_updates_it(hub: GithubShop) -> None:
    """A run with `--force` replaces Weft's own branch, with lease, and brings the one pull request up to date."""
    hub.issues(1)
    first = hub.shop.run("1")
    number = first.job("1")["pull_request"]
    hub.repo.pulls[number].body = f"Seen by Ada.\n{hub.repo.pulls[number].body}"
    hub.shop.does("exec", "echo other > other.txt")
    again = hub.shop.run("1", "--force")
    assert again.code == 0, again.err
    assert again.job("1")["pull_request"] == number
    assert hub.repo.git.tip(BRANCH) == again.job("1")["commit"] != first.job("1")["commit"]
    body = hub.pulls()[BRANCH].body or ""
    assert body.startswith("Seen by Ada.")
    assert body.count("Closes #1") == 1
    assert again.document["run"] in body


def test_work_of_others_is_not_overwritten(hub: GithubShop) -> None:
    """Commits on the remote that Weft did not make are kept: the job fails and says so (principle 2)."""
    hub.issues(1)
    hub.shop.repo.branch("theirs", {"theirs.txt": "x"})
    hub.shop.repo.git("push", "-q", str(hub.repo.folder), f"theirs:{BRANCH}")
    hub.shop.repo.git("branch", "-qD", "theirs")
    answer = hub.shop.run("1")
    assert answer.code == 1
    assert "has commits that Weft did not make" in answer.job("1")["reason"]
    assert not hub.pulls()
