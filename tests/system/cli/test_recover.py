"""`weft recover`, and new runs where an old one died."""

from __future__ import annotations

import json
from pathlib import Path

from tests.system.cli.desk import Desk


def test_going_on_with_a_dead_run(desk: Desk) -> None:
    """RECOVER-1, RECOVER-3: what passed is not done again, what was in the middle is saved and done."""
    desk.shop.kill_in_the_middle("1", "2", held=("2",))
    assert "was interrupted, 1 of 2 jobs unfinished" in desk.weft("status").out
    answer = desk.weft("recover", "--json")
    document = json.loads(answer.out)
    assert (answer.code, document["status"], document["exit_code"]) == (0, "passed", 0)
    assert {job["issue"]: job["status"] for job in document["jobs"]} == {"1": "passed", "2": "passed"}
    assert [job["phases"][0]["attempts"] for job in document["jobs"]] == [1, 2]
    assert desk.shop.repo.files("weft/2-title-2") >= {"done-2.txt"}
    assert "half.txt" not in desk.shop.repo.files("weft/2-title-2")
    [saved] = desk.shop.repo.saved()
    assert "half.txt" in desk.shop.repo.files(saved)
    assert saved in desk.weft("status").out


def test_lines_of_before_the_crash_are_not_shown_again(desk: Desk) -> None:
    """The lines on the terminal begin where the new process goes on; the summary is of the whole run."""
    desk.shop.kill_in_the_middle("1", "2", held=("2",))
    answer = desk.weft("recover")
    assert answer.code == 0
    assert "#1: exec" not in answer.err
    assert "● #2: exec started" in answer.err
    assert "2 issues" in answer.out
    assert "#1 ✔ passed" in answer.out


def test_nothing_to_recover(desk: Desk) -> None:
    """Nothing to recover is said, with exit 0: without any run, and after a recovery."""
    assert desk.weft("recover")[:2] == (0, "Nothing to recover\n")
    assert not desk.shop.state.exists()
    desk.shop.kill_in_the_middle("1", held=("1",))
    assert desk.weft("recover").code == 0
    assert desk.weft("recover")[:2] == (0, "Nothing to recover\n")
    assert json.loads(desk.weft("recover", "--json").out) == {"runs": []}
    [ended] = desk.runs()
    assert "has ended" in desk.weft("recover", ended).err
    assert desk.weft("recover", "r-none").code == 2


def test_looking_at_what_is_left_changes_nothing(desk: Desk) -> None:
    """`--dry-run` says for each job what would be done, and the run stays interrupted."""
    desk.shop.kill_in_the_middle("1", "2", held=("2",))
    out = desk.weft("recover", "--dry-run").out
    assert "has ended: passed" in out
    assert "the session of exec was under way: its work is saved, the phase starts again" in out
    [document] = json.loads(desk.weft("recover", "--dry-run", "--json").out)["runs"]
    assert [job["status"] for job in document["jobs"]] == ["passed", None]
    assert json.loads(desk.weft("status", "--json").out)["runs"][0]["status"] == "interrupted"


def test_several_dead_runs_one_after_the_other(desk: Desk) -> None:
    """All interrupted runs of the repo are gone on with, the oldest first; failures make the exit code."""
    desk.shop.kill_in_the_middle("1", held=("1",))
    desk.shop.kill_in_the_middle("2", held=("2",))
    desk.shop.tell("2", "fails")
    newest, oldest = desk.runs()
    answer = desk.weft("recover", "--json")
    documents = json.loads(answer.out)["runs"]
    assert [document["run"] for document in documents] == [oldest, newest]
    assert [document["status"] for document in documents] == ["passed", "failed"]
    assert answer.code == 1


def test_runs_of_other_repos_are_named_and_left_alone(desk: Desk, tmp_path: Path) -> None:
    """Elsewhere `weft recover` goes on with nothing, but names the run and the repo; by its id it can."""
    desk.shop.kill_in_the_middle("1", held=("1",))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    answer = desk.weft("recover", folder=elsewhere)
    assert answer[:2] == (0, "Nothing to recover\n")
    assert str(desk.shop.repo.path) in answer.err
    assert desk.weft("recover", desk.runs()[0], folder=elsewhere).code == 0


def test_a_new_run_says_that_an_old_one_died(desk: Desk) -> None:
    """RECOVER-1: any new run on that repo says so; the dead run can still be gone on with."""
    desk.shop.kill_in_the_middle("1", held=("1",))
    [dead] = desk.runs()
    answer = desk.weft("run", "2", "--json")
    assert f"note: run {dead} in this repo was interrupted; `weft recover {dead}` goes on with it" in answer.err
    assert desk.weft("recover").code == 0
    assert desk.statuses(dead) == {"1": "passed"}


def test_a_job_that_a_new_run_does_is_not_done_again_by_the_dead_one(desk: Desk) -> None:
    """RECOVER-1: no phase is paid for twice, and the new run's branch stays as it is."""
    desk.shop.kill_in_the_middle("1", "2", "3", held=("2", "3"))
    [dead] = desk.runs()
    answer = desk.weft("run", "2")
    assert answer.code == 0
    assert f"note: `shop#2` of run {dead} is done by this run now" in answer.err
    tip = desk.shop.repo.tip("weft/2-title-2")
    recovered = desk.weft("recover")
    assert recovered.code == 1
    assert desk.statuses(dead) == {"1": "passed", "2": "cancelled", "3": "passed"}
    assert desk.shop.repo.tip("weft/2-title-2") == tip
    assert "taken over by a later run" in recovered.out


def test_a_dead_run_whose_jobs_are_all_taken_over_has_ended(desk: Desk) -> None:
    """RECOVER-1: nothing is left of it to recover."""
    desk.shop.kill_in_the_middle("1", "2", held=("2",))
    [dead] = desk.runs()
    assert desk.weft("run", "2").code == 0
    assert desk.statuses(dead) == {"1": "passed", "2": "cancelled"}
    assert desk.weft("recover")[:2] == (0, "Nothing to recover\n")


def test_a_run_that_lives_is_not_recovered(desk: Desk) -> None:
    """A run that a process has is refused with exit 3, and goes on."""
    desk.shop.tell("1")
    process = desk.shop.start("run", "1")
    desk.shop.wait_started("1")
    try:
        [living] = desk.runs()
        assert desk.weft("recover")[:2] == (0, "Nothing to recover\n")
        assert desk.weft("recover", living).code == 3
    finally:
        desk.shop.release("1")
        process.communicate()
    assert process.returncode == 0
