"""`weft wave plan`: order, levels, critical path, cap, time; and nothing is changed (WAVE-8)."""

from __future__ import annotations

import pytest
from tests.support.fleet import Fleet


def test_the_document(fleet: Fleet) -> None:
    """`jobs`, `order`, `levels`, `critical_path` and `cap`; the longest way to go comes first (WAVE-9)."""
    fleet.issues("api#1", "api#2", "ui#1", "ui#2", ui_1="depends_on: [api#2]", ui_2="depends_on: [1]")
    answer = fleet.wave("plan", "M1", "--json")
    assert (answer.code, answer.err.count("warning: no gates")) == (0, 2)
    document = answer.document
    assert [job["key"] for job in document["jobs"]] == ["api#1", "api#2", "ui#1", "ui#2"]
    assert document["order"] == ["api#2", "ui#1", "api#1", "ui#2"]
    assert document["levels"] == [["api#1", "api#2"], ["ui#1"], ["ui#2"]]
    assert document["critical_path"] == ["api#2", "ui#1", "ui#2"]
    assert document["cap"] == 2
    assert document["estimate"]["wall_seconds"] is None
    assert [(repo["name"], repo["target"]) for repo in document["repos"]] == [("api", "weft/m1"), ("ui", "weft/m1")]
    assert document["wave"] == "M1"


def test_nothing_is_changed(fleet: Fleet) -> None:
    """WAVE-8: no state folder, no branch, no lock; the checkouts are as they were. `--dry-run` is the same."""
    fleet.issues("api#1", "ui#1")
    before = [shop.repo.checkout_state() for shop in fleet.shops.values()]
    for command in (["plan", "M1"], ["run", "M1", "--dry-run"]):
        answer = fleet.wave(*command)
        assert answer.code == 0
        assert "Nothing was changed" in answer.out
        assert "api#1  Thing 1" in answer.out
    assert not fleet.first.state.exists()
    assert [shop.branches() for shop in fleet.shops.values()] == [set(), set()]
    assert [shop.repo.checkout_state() for shop in fleet.shops.values()] == before
    assert not any((shop.repo.path / ".weft").exists() for shop in fleet.shops.values())


def test_time_comes_from_history(fleet: Fleet) -> None:
    """WAVE-8, WAVE-9: after a wave the next one's time is known: two in one repo take twice as long as one."""
    fleet.issues("api#1", "ui#1")
    assert fleet.run("M1").code == 0
    fleet.issues("api#3", "api#4", "ui#3", milestone="M2")
    estimate = fleet.wave("plan", "M2", "--json").document["estimate"]
    assert estimate["unknown_phases"] == []
    assert 0 < estimate["wall_seconds"] < estimate["work_seconds"]
    assert "time unknown" not in fleet.wave("plan", "M2").out


def test_without_history_all_count_alike(fleet: Fleet) -> None:
    """Three issues of one repo are the time of three, whatever the cap; cap 1 adds the other repo's."""
    fleet.issues("api#1", "api#2", "api#3", "ui#1")
    assert "as long as 3 of them, with a cap of 2" in fleet.wave("plan", "M1").out
    assert "as long as 4 of them, with a cap of 1" in fleet.wave("plan", "M1", "--cap", "1").out


def test_an_unknown_milestone(fleet: Fleet) -> None:
    """Exit 2, with those that there are and the one that was likely meant."""
    fleet.issues("api#1", milestone="release-1")
    answer = fleet.wave("plan", "relaese-1")
    assert (answer.code, answer.out) == (2, "")
    assert "error: No issue has the milestone `relaese-1`" in answer.err
    assert "did you mean `release-1`?" in answer.err


def test_a_milestone_that_is_done(fleet: Fleet) -> None:
    """Closed issues are not worked on again: nothing to do is no failure."""
    fleet.issues("api#1", api_1="state: closed")
    assert fleet.wave("plan", "M1", "--json").document["order"] == []
    answer = fleet.run("M1")
    assert (answer.code, answer.document["jobs"]) == (0, [])


def test_no_repos(fleet: Fleet) -> None:
    """Without `[[repos]]` there is no wave; the hint says what to write."""
    (fleet.folder / "weft.toml").write_text('agent = "claude"\n')
    answer = fleet.wave("plan", "M1")
    assert answer.code == 2
    assert "hint: list them in weft.toml, each as `[[repos]]`" in answer.err


def test_one_repo_by_two_paths(fleet: Fleet) -> None:
    """Two lanes and two queues for the same branches would race: refused, naming both paths."""
    fleet.issues("api#1")
    fleet.shops["api"].repo.git("worktree", "add", "-q", "../api-two", "-b", "two")
    for other in ("../api-two", "../api/issues", "../ui/../api"):
        text = f'[[repos]]\npath = "../api"\n[[repos]]\npath = "{other}"\nname = "other"\n'
        (fleet.folder / "weft.toml").write_text(text)
        answer = fleet.wave("plan", "M1")
        assert answer.code == 2
        assert f"error: weft.toml: repos[1].path = `{other}` is the same git repo as `../api`" in answer.err


@pytest.mark.parametrize(("path", "said"), [("../nowhere", "is not a folder"), ("..", "is not in a git repo")])
def test_a_path_that_is_no_repo(fleet: Fleet, path: str, said: str) -> None:
    """Exit 2, naming the path."""
    (fleet.folder / "weft.toml").write_text(f'[[repos]]\npath = "{path}"\n[[repos]]\npath = "../api"\n')
    answer = fleet.wave("plan", "M1")
    assert answer.code == 2
    assert f"error: weft.toml: repos[0].path = `{path}`: " in answer.err
    assert said in answer.err


def test_what_the_wave_says_of_a_repo(fleet: Fleet) -> None:
    """Name, base, issues, target and gates under `[[repos]]` count more than the repo's own settings."""
    api = fleet.shops["api"].repo
    api.branch("develop", {"extra.txt": "x"})
    api.write("tickets/5.md", "---\ntitle: Five\nmilestone: M1\n---\nDo it\n")
    api.commit("tickets")
    more = 'name = "backend"\nbase = "develop"\nissues = "tickets"\ntarget = "next"\n[repos.gates]\ntest = "true"\n'
    fleet.settings(api=more)
    document = fleet.wave("plan", "M1", "--json").document
    assert [job["key"] for job in document["jobs"]] == ["backend#5"]
    assert document["repos"] == [
        {"name": "backend", "path": str(api.path), "base": api.tip("develop"), "target": "next", "width": 1}
    ]
    assert [(gate["repo"], gate["command"]) for gate in document["limits"]["gates"]] == [("backend", "true")]
