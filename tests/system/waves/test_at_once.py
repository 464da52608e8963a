"""Repos at once, issues of one repo one after the other. Exact numbers: agents stand still until told."""

from __future__ import annotations

import pytest
from tests.support.fleet import Fleet, statuses

from weft.model.events import JobAdmitted

HOLD = 'hold "$id"; echo x > "$id.txt"'


def _admitted(fleet: Fleet) -> list[str]:
    return [str(event.job) for event in fleet.first.events() if isinstance(event, JobAdmitted)]


def test_two_repos_at_once_while_one_serialises(fleet: Fleet) -> None:
    """WAVE-1: with a cap to spare each repo has exactly one issue under way, and both repos have theirs at once; in
    whatever order they are listed, no slot is held by an issue that waits for its repo.
    """
    fleet.issues("api#1", "api#2", "api#3", "ui#1")
    fleet.first.does("exec", HOLD)
    started = fleet.start("M1", "--cap", "4")
    started.until(fleet.first.reached("api-1", "ui-1"))
    assert sorted(_admitted(fleet)) == ["api#1", "ui#1"]
    fleet.first.go("api-1")
    started.until(fleet.first.reached("api-2"))
    assert sorted(_admitted(fleet)) == ["api#1", "api#2", "ui#1"]
    fleet.first.go("all")
    answer = started.wait()
    assert answer.code == 0
    assert set(statuses(answer).values()) == {"passed"}
    assert [ident for ident in fleet.first.sessions() if ident.startswith("api")] == ["api-1", "api-2", "api-3"]
    assert (fleet.most_at_once("api"), fleet.most_at_once("ui"), fleet.most_at_once()) == (1, 1, 2)
    assert [shop.debris() for shop in fleet.shops.values()] == [[], []]


def test_the_cap_is_the_number_of_repos(fleet: Fleet) -> None:
    """WAVE-2: without `--cap` as many issues are under way as there are repos, whatever the lanes would allow."""
    fleet.settings(api="width = 3")
    fleet.issues("api#1", "api#2", "api#3")
    fleet.first.does("exec", HOLD)
    started = fleet.start("M1")
    started.until(fleet.first.reached("api-1", "api-2"))
    assert _admitted(fleet) == ["api#1", "api#2"]
    fleet.first.go("all")
    assert started.wait().code == 0
    assert fleet.most_at_once() == 2


def test_a_cap_of_one_is_fully_sequential(fleet: Fleet) -> None:
    """WAVE-2: one issue at a time over all repos."""
    fleet.issues("api#1", "api#2", "ui#1", "ui#2")
    answer = fleet.run("M1", "--cap", "1")
    assert answer.code == 0
    assert len(fleet.first.sessions()) == 4
    assert fleet.most_at_once() == 1


@pytest.mark.parametrize("cap", ["0", "-1", "abc", "1.5", ""])
def test_a_cap_that_is_none(fleet: Fleet, cap: str) -> None:
    """WAVE-2: 0 is a usage error like every other value that is no positive integer; nothing is started."""
    fleet.issues("api#1")
    for command in (["run", "M1", "--yes"], ["plan", "M1"]):
        answer = fleet.wave(*command, f"--cap={cap}")
        assert (answer.code, answer.out) == (2, "")
        assert f"error: Invalid --cap value: {cap}. Must be a positive integer." in answer.err
    assert fleet.first.runs() == []


def test_a_wider_lane(fleet: Fleet) -> None:
    """WAVE-1: `repos.width` lets so many issues of a repo go at once, and no more."""
    fleet.settings(api="width = 2")
    fleet.issues("api#1", "api#2", "api#3", "ui#1", "ui#2")
    fleet.first.does("exec", HOLD)
    started = fleet.start("M1", "--cap", "9")
    started.until(fleet.first.reached("api-1", "api-2", "ui-1"))
    assert sorted(_admitted(fleet)) == ["api#1", "api#2", "ui#1"]
    fleet.first.go("all")
    assert started.wait().code == 0
    assert (fleet.most_at_once("api"), fleet.most_at_once("ui")) == (2, 1)


def test_the_same_number_in_two_repos(fleet: Fleet) -> None:
    """api#1 and ui#1 are different jobs, each in its own repo."""
    fleet.issues("api#1", "ui#1")
    fleet.first.does("exec", 'echo "$id" > "$id.txt"')
    assert fleet.run("M1").code == 0
    for name, shop in fleet.shops.items():
        assert shop.repo.show("weft/1-thing-1", f"{name}-1.txt") == f"{name}-1"
