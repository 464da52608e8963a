"""Waves over GitHub: the milestone of one name in several repos, and one pull request per repo at the end (WAVE-11)."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.answer import Answer as Said
from tests.support.fleet import Fleet
from tests.support.github_server import Answer, GithubServer, Repo, Slow
from tests.support.github_shop import SETTINGS

TARGET = "weft/m1"


class GithubFleet:
    """Two repos with their remotes; `api` and `ui` are what the server knows of them."""

    def __init__(self, root: Path, server: GithubServer) -> None:
        self.fleet = Fleet(root, "api", "ui")
        self.server = server
        self.api, self.ui = (self._remote(name) for name in ("api", "ui"))
        self.fleet.first.with_variables(GITHUB_TOKEN=server.token)

    def _remote(self, name: str) -> Repo:
        """One says by settings that what `weft run` does is merged, which holds for waves anyway."""
        shop, repo = self.fleet.shops[name], self.server.repo(f"acme/{name}")
        run = 'phases = ["exec"]' + ('\nmerge = "queue"' if name == "ui" else "")
        shop.settings(run, more=SETTINGS.format(api_url=self.server.api_url, issues=""), test="test ! -e red")
        shop.repo.git("push", "-q", str(repo.folder), "main")
        shop.repo.git("remote", "add", "origin", repo.clone_url)
        return repo

    def run(self) -> Said:
        return self.fleet.run("M1")


@pytest.fixture
def wave(tmp_path: Path, github: GithubServer) -> Iterator[GithubFleet]:
    wave = GithubFleet(tmp_path / "user", github)
    yield wave
    left = wave.fleet.first.alive()
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left, f"processes of the test are left: {left}"


def two_repos(wave: GithubFleet) -> None:
    """Two issues of `api`, one of `ui` that depends on the first; another milestone's are no part of it."""
    wave.api.issue(1, "First", milestone="M1")
    wave.api.issue(2, "Second", milestone="M1")
    wave.api.issue(3, "Later", milestone="M2")
    wave.ui.issue(7, "Shows it", "Depends on acme/api#1\nDepends on: api#4", milestone="M1")
    wave.api.issue(4, "Long done", state="closed")


def test_a_milestone_in_two_repos(wave: GithubFleet) -> None:
    """WAVE-3, WAVE-11: one integration branch and one pull request per repo; the base is never pushed to."""
    two_repos(wave)
    before = wave.api.git.tip("main")
    answer = wave.run()
    assert answer.code == 0, answer.err
    assert {job["key"]: job["status"] for job in answer.document["jobs"]} == {
        "api#1": "passed",
        "api#2": "passed",
        "ui#7": "passed",
    }
    (api,), (ui,) = wave.api.pulls.values(), wave.ui.pulls.values()
    assert [(pull.head, pull.base, pull.title) for pull in (api, ui)] == [
        (TARGET, "main", "M1: api"),
        (TARGET, "main", "M1: ui"),
    ]
    assert {"Issue: #1", "Issue: #2"} <= set((api.body or "").splitlines())
    assert "Closes" not in (api.body or "")
    assert "| test: `` test ! -e red `` | ✔ passed |" in (api.body or "")
    assert wave.api.git.tip("main") == before
    assert wave.api.git.branches() == ["main", TARGET]
    assert {each["repo"]: each["pull_request"] for each in answer.document["handoffs"]} == {
        "api": api.number,
        "ui": ui.number,
    }
    assert answer.document["api_calls"] == len(wave.server.asked())


def test_what_is_not_in_it(wave: GithubFleet) -> None:
    """WAVE-11: the body says what was parked or failed, and why; the rest is handed over."""
    two_repos(wave)
    wave.fleet.first.does("exec-api-1", "exit 1")
    answer = wave.run()
    assert answer.code == 1
    (pull,) = wave.api.pulls.values()
    body = pull.body or ""
    assert "Issue: #2" in body.splitlines()
    assert "- #1: failed: Phase exec failed" in body
    assert not wave.ui.pulls, "nothing landed there"


def test_a_hand_off_that_fails(wave: GithubFleet) -> None:
    """It is no success; the same wave once more makes the pull request, and nothing is worked on again."""
    wave.api.issue(1, "First", milestone="M1")
    wave.server.fail(Answer(403, "Resource not accessible"), "POST", "/pulls$")
    failed = wave.run()
    assert failed.code == 1
    (handoff,) = failed.document["handoffs"]
    assert "Resource not accessible" in handoff["problem"]
    again = wave.run()
    assert again.code == 0, again.err
    assert [job["status"] for job in again.document["jobs"]] == ["skipped"]
    assert [pull.head for pull in wave.api.pulls.values()] == [TARGET]
    assert len(wave.fleet.first.sessions()) == 1


def test_killed_between_push_and_hand_off(wave: GithubFleet) -> None:
    """RECOVER-1: kill -9 when the branch is pushed and the pull request is not made: recovered, there is one."""
    wave.api.issue(1, "First", milestone="M1")
    slow = Slow()
    wave.server.fail(slow, "GET", "/pulls$")
    started = wave.fleet.start("M1")
    started.until(slow.asked.is_set)
    started.send(signal.SIGKILL)
    started.process.wait()
    assert wave.api.git.tip(TARGET)
    slow.go_on.set()
    answer = wave.fleet.first.weft("recover", "--json", cwd=wave.fleet.shops["api"].repo.path)
    assert answer.code == 0, answer.err
    (pull,) = wave.api.pulls.values()
    assert answer.document["handoffs"][0]["pull_request"] == pull.number
    assert wave.api.git.tip(TARGET) == wave.fleet.shops["api"].repo.tip(TARGET)


def test_the_base_is_no_target(wave: GithubFleet) -> None:
    """WAVE-11: what pull requests go to is refused as the branch that work lands on."""
    wave.api.issue(1, "First", milestone="M1")
    wave.fleet.shops["api"].repo.git("checkout", "-q", "--detach")
    wave.fleet.settings(api='target = "main"\nbase = "main"')
    answer = wave.run()
    assert answer.code == 2
    assert "Weft never pushes to the base" in answer.err
