"""Dependencies across repos: done, unmet, unknown, in a circle (WAVE-3)."""

from __future__ import annotations

import pytest
from tests.support.fleet import Fleet, reasons, statuses


@pytest.mark.parametrize(
    "front", ["depends_on: [ui#2]", 'depends_on: ["acme/ui#2"]', "labels: [x]\n---\nDepends on: ui#2\n\n"]
)
def test_an_issue_waits_for_one_of_another_repo(fleet: Fleet, front: str) -> None:
    """WAVE-3: `ui#2`, `owner/ui#2` and a line of the text: it starts once that one has passed, not before."""
    fleet.issues("api#1", "ui#2", api_1=front)
    fleet.first.does("exec-ui-2", "hold ui-2; echo x > x.txt")
    started = fleet.start("M1")
    started.until(fleet.first.reached("ui-2"))
    assert fleet.first.sessions() == ["ui-2"]
    fleet.first.go("ui-2")
    answer = started.wait()
    assert statuses(answer) == {"api#1": "passed", "ui#2": "passed"}
    assert fleet.first.sessions() == ["ui-2", "api-1"]


def test_what_failed_parks_those_behind_it(fleet: Fleet) -> None:
    """WAVE-3: a dependency that ends in any other way parks its dependents, in other repos too, and names it."""
    fleet.issues("api#1", "api#2", "ui#1", "ui#2", ui_1="depends_on: [api#1]", ui_2="depends_on: [1]")
    fleet.first.does("exec-api-1", "exit 1")
    answer = fleet.run("M1")
    assert answer.code == 1
    assert statuses(answer) == {"api#1": "failed", "api#2": "passed", "ui#1": "parked", "ui#2": "parked"}
    assert reasons(answer)["ui#1"] == "unmet dependency api#1"
    assert reasons(answer)["ui#2"] == "unmet dependency ui#1"


def test_a_dependency_outside_the_wave(fleet: Fleet) -> None:
    """WAVE-3: it counts as done only if its issue is closed, whatever an earlier run did; else they are parked."""
    fleet.issues("api#7", "api#8", "api#9", milestone="later", api_8="state: closed")
    fleet.issues(
        "ui#1", "ui#2", "ui#3", ui_1="depends_on: [api#7]", ui_2="depends_on: [api#8]", ui_3="depends_on: [api#9]"
    )
    assert fleet.first.run("9").code == 0
    answer = fleet.run("M1")
    assert answer.code == 1
    assert statuses(answer) == {"ui#1": "parked", "ui#2": "passed", "ui#3": "parked"}
    assert reasons(answer)["ui#1"] == "unmet dependency api#7 (not part of this wave and not closed)"
    assert (reasons(answer)["ui#3"] or "").startswith("unmet dependency api#9 ")


def test_unknown_references(fleet: Fleet) -> None:
    """WAVE-3: issues and repos that are not there are all named, exit 2, and nothing starts."""
    fleet.issues("api#1", "ui#2", "ui#3", api_1="depends_on: [ui#99, 98]", ui_3="depends_on: [shop#1, acme/bank#2]")
    for command in (["plan", "M1"], ["run", "M1", "--yes"]):
        answer = fleet.wave(*command)
        assert (answer.code, answer.out) == (2, "")
        assert "Unknown dependencies: " in answer.err
        for part in ("api#1 depends on ui#99", "api#1 depends on #98", "ui#3 depends on shop#1", "on acme/bank#2"):
            assert part in answer.err
        assert "(ui/issues/3.md)" in answer.err
    assert fleet.first.runs() == []


def test_a_cycle_over_two_repos(fleet: Fleet) -> None:
    """WAVE-3: exit 2 before anything starts, and the whole cycle is named."""
    fleet.issues(
        "api#1", "api#2", "ui#1", api_1="depends_on: [ui#1]", ui_1="depends_on: [api#2]", api_2="depends_on: [1]"
    )
    for command in (["plan", "M1"], ["run", "M1", "--yes"]):
        answer = fleet.wave(*command)
        assert (answer.code, answer.out) == (2, "")
        assert "Dependency cycle: api#1 → ui#1 → api#2 → api#1" in answer.err
    assert fleet.first.runs() == []
