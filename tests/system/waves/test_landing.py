"""What a wave leaves: one integration branch per repo, a hand-off text, and its status (WAVE-11)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.fleet import Fleet, statuses


def _landed(fleet: Fleet) -> dict[str, set[str]]:
    """What each repo's integration branch has that its base has not; of the repos that have one."""
    repos = {name: shop.repo for name, shop in fleet.shops.items() if shop.repo.exists("weft/m1")}
    return {name: repo.files("weft/m1") - repo.files("main") for name, repo in repos.items()}


def test_one_branch_per_repo(fleet: Fleet) -> None:
    """WAVE-11: each repo's issues land on its `weft/<wave>`; the base and the checkouts are as they were."""
    fleet.issues("api#1", "api#2", "ui#1")
    before = [(shop.repo.tip("main"), shop.repo.checkout_state()) for shop in fleet.shops.values()]
    answer = fleet.run("M1")
    assert answer.code == 0
    assert {job["key"]: job["merged"] for job in answer.document["jobs"]} == {
        "api#1": True,
        "api#2": True,
        "ui#1": True,
    }
    assert _landed(fleet) == {"api": {"api-1.txt", "api-2.txt"}, "ui": {"ui-1.txt"}}
    assert [(shop.repo.tip("main"), shop.repo.checkout_state()) for shop in fleet.shops.values()] == before


def test_the_next_issue_of_a_repo_starts_from_what_the_last_one_left(fleet: Fleet) -> None:
    """WAVE-1, WAVE-11: a job starts from the integration branch as it is then."""
    fleet.issues("api#1", "api#2")
    fleet.first.does("exec-api-2", "test -e api-1.txt && echo x > two.txt")
    assert statuses(fleet.run("M1")) == {"api#1": "passed", "api#2": "passed"}
    assert _landed(fleet) == {"api": {"api-1.txt", "two.txt"}}


def test_what_landed_is_not_done_again(fleet: Fleet) -> None:
    """A second run of a wave does what is left: what is on the integration branch is skipped, unless forced."""
    fleet.issues("api#1", "ui#1")
    fleet.first.does("exec-ui-1-1", "exit 1")
    assert statuses(fleet.run("M1")) == {"api#1": "passed", "ui#1": "failed"}
    fleet.first.does("exec-ui-1-1", "echo x > mended.txt")
    again = fleet.run("M1")
    assert statuses(again) == {"api#1": "skipped", "ui#1": "passed"}
    assert "on branch weft/m1" in again.job("1")["reason"]
    assert _landed(fleet) == {"api": {"api-1.txt"}, "ui": {"mended.txt"}}


def test_work_that_was_left_on_a_branch_is_no_part_of_a_wave(fleet: Fleet) -> None:
    """An issue that `weft run` finished, and nobody merged, is worked on again: its branch never landed. Without the
    first phase of the pipeline it goes on from that branch, as `weft run` would.
    """
    fleet.issues("api#1")
    assert fleet.shops["api"].run("1").statuses == {"1": "passed"}
    assert statuses(fleet.run("M1")) == {"api#1": "passed"}
    assert _landed(fleet) == {"api": {"1.txt", "api-1.txt"}}


@pytest.mark.parametrize(("settings", "target"), [('target = "next"', "next"), ("", "weft/m1")])
def test_a_target_that_is_checked_out(fleet: Fleet, settings: str, target: str) -> None:
    """A branch that someone has checked out is refused before anything starts, exit 2."""
    fleet.settings(api=settings)
    fleet.issues("api#1")
    fleet.shops["api"].repo.git("switch", "-q", "-c", target)
    answer = fleet.wave("plan", "M1")
    assert answer.code == 2
    assert target in answer.err
    assert "hint: " in answer.err


def test_the_hand_off(fleet: Fleet) -> None:
    """WAVE-11: per repo a text with its own issues, the checks that were run, and what was parked and why."""
    fleet.settings(api='[repos.gates]\ntest = "test -e README.md"')
    fleet.issues("api#1", "api#2", "ui#1", ui_1="depends_on: [api#2]")
    fleet.first.does("exec-api-2", "exit 1")
    answer = fleet.run("M1")
    files = {each["repo"]: (each["target"], Path(each["file"])) for each in answer.document["handoffs"]}
    assert {repo: target for repo, (target, _) in files.items()} == {"api": "weft/m1", "ui": "weft/m1"}
    api, ui = files["api"][1].read_text(), files["ui"][1].read_text()
    assert "Branch `weft/m1`" in api
    assert "- Issue: #1 Thing 1\n" in api
    assert "- test: `test -e README.md`" in api
    assert "| #1 | test passed (" in api
    assert "on the merged tree" in api
    assert "- #2 Thing 2: failed: Phase exec failed" in api
    assert "Issue: #1" not in ui
    assert "- #1 Thing 1: parked: unmet dependency api#2" in ui
    assert "No gates are set" in ui


def test_the_hand_off_is_named_in_the_summary(fleet: Fleet) -> None:
    """People are told where it is."""
    fleet.issues("api#1")
    answer = fleet.wave("run", "M1", "--yes", "--quiet")
    line = next(line for line in answer.out.splitlines() if line.startswith("hand-off of api:"))
    assert Path(line.split()[-1]).read_text().startswith("# M1: api\n")


def test_status(fleet: Fleet) -> None:
    """`weft wave status`: per repo what is done, merged, parked and left, while it runs and after."""
    fleet.issues("api#1", "api#2", "ui#1", ui_1="depends_on: [api#2]")
    fleet.first.does("exec-api-2", "hold api-2; exit 1")
    started = fleet.start("M1")
    started.until(fleet.first.reached("api-2"))
    [wave] = fleet.wave("status", "--json").document["waves"]
    assert (wave["wave"], wave["status"], wave["cap"], wave["paused"]) == ("M1", "running", 2, False)
    api, ui = wave["repos"]
    assert (api["issues"], api["active"], api["done"] + api["left"]) == (2, 1, 1)
    assert (ui["issues"], ui["left"], ui["handoff"]) == (1, 1, None)
    fleet.first.go("all")
    run = started.wait().document["run"]
    [wave] = fleet.wave("status", "M1", "--json").document["waves"]
    assert (wave["run"], wave["status"]) == (run, "failed")
    api, ui = wave["repos"]
    counts = ("done", "merged", "queued", "active", "parked", "failed", "left", "target")
    assert [api[name] for name in counts] == [1, 1, 0, 0, 0, 1, 0, "weft/m1"]
    assert [ui[name] for name in counts] == [0, 0, 0, 0, 1, 0, 0, "weft/m1"]
    assert Path(api["handoff"]).exists()
    text = fleet.wave("status").out
    assert text.startswith(f"M1 · {run} · failed")


def test_status_of_an_unknown_wave(fleet: Fleet) -> None:
    """Exit 2, naming those there are; without any wave, nothing is no error."""
    assert fleet.wave("status", "--json").document == {"waves": []}
    fleet.issues("api#1")
    assert fleet.run("M1").code == 0
    answer = fleet.wave("status", "M2")
    assert answer.code == 2
    assert "error: Unknown wave `M2`\nhint: there are `M1`" in answer.err
