"""`weft clean`: only what is safe to remove goes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.system.cli.desk import Desk

from weft.model.ids import RunId
from weft.model.layout import Layout


def kept(desk: Desk, *args: str) -> dict[str, str]:
    """Why each thing is kept, by its job or else its kind."""
    items = json.loads(desk.weft("clean", "--dry-run", "--json", *args).out)["kept"]
    return {item["job"] or item["kind"]: item["why"] for item in items}


@pytest.fixture
def workspace(desk: Desk) -> Path:
    """The workspace that a failed job left, with uncommitted work that is also on a saved ref."""
    desk.shop.tell("1", "fails")
    assert desk.weft("run", "1", "--quiet").code == 1
    return Path(desk.weft("open", "1", "--print").out.strip())


def test_without_anything(desk: Desk) -> None:
    """Nothing to clean is said, and no database is made."""
    assert desk.weft("clean")[:2] == (0, "Nothing to clean\n")
    assert not desk.shop.state.exists()


def test_a_workspace_whose_work_is_saved_goes(desk: Desk, workspace: Path) -> None:
    """Principle 2: nothing is lost: the saved ref and the branch stay when the workspace goes."""
    saved = desk.shop.repo.saved()
    before = desk.weft("clean", "--dry-run").out
    assert before == f"Would remove\n  workspace {workspace}  shop#1\n"
    assert workspace.exists()
    assert desk.weft("clean").out == f"Removed\n  workspace {workspace}  shop#1\n"
    assert not workspace.exists()
    assert desk.shop.repo.saved() == saved
    assert "dirt.txt" in desk.shop.repo.files(saved[0])
    assert str(workspace) not in desk.shop.repo.git("worktree", "list")
    assert desk.weft("report").code == 0


def test_a_workspace_with_unsaved_changes_stays(desk: Desk, workspace: Path) -> None:
    """Principle 2: what only the workspace has keeps it, with the reason."""
    (workspace / "mine.txt").write_text("by hand\n")
    assert kept(desk) == {"shop#1": "it has changes that are not committed"}
    desk.weft("clean")
    assert (workspace / "mine.txt").read_text() == "by hand\n"


def test_a_workspace_with_commits_of_its_own_stays(desk: Desk, workspace: Path) -> None:
    """Principle 2: commits that are on no branch keep the workspace."""
    desk.shop.repo.git("checkout", "-q", "--detach", cwd=workspace)
    desk.shop.repo.commit("by hand", inside=workspace)
    assert kept(desk) == {"shop#1": "it has commits that are on no branch"}


def test_another_repo_inside_keeps_the_workspace(desk: Desk, workspace: Path) -> None:
    """Principle 2: git cannot hold another repo's content, so it stays."""
    desk.shop.repo.git("init", "-q", str(workspace / "inner"))
    assert kept(desk) == {"shop#1": "there are other git repos in it"}


def test_recent_ones_stay_when_an_age_is_asked_for(desk: Desk, workspace: Path) -> None:
    """`--older-than` spares what ended less long ago, workspaces and runs."""
    [run] = desk.runs()
    assert kept(desk, "--older-than", "1h") == {"shop#1": f"run {run} ended less long ago"}
    assert desk.weft("clean", "--older-than", "x").code == 2


def test_old_runs_go_with_their_transcripts(desk: Desk, workspace: Path) -> None:
    """`state.keep`: journal and transcripts of runs that ended longer ago go."""
    [run] = desk.runs()
    folder = Path(Layout(str(desk.shop.state)).run(RunId(run)))
    assert folder.exists()
    desk.weft("clean", "--older-than", "0s")
    assert not folder.exists()
    assert desk.runs() == []


def test_the_journal_of_a_finished_issue_stays_while_its_branch_exists(desk: Desk) -> None:
    """RUN-20: a finished job is not run again just because someone tidied up; without its branch the run goes."""
    assert desk.weft("run", "1", "--quiet").code == 0
    assert "shop#1 passed there" in kept(desk, "--older-than", "0s")["journal"]
    desk.weft("clean", "--older-than", "0s")
    assert "skipped" in desk.weft("run", "1", "--quiet").out
    desk.shop.repo.git("branch", "-D", "weft/1-title-1")
    desk.weft("clean", "--older-than", "0s")
    assert desk.runs() == []


def test_runs_under_way_and_interrupted_ones_are_left_alone(desk: Desk) -> None:
    """Never anything of a run that is under way or that can be gone on with."""
    desk.shop.kill_in_the_middle("1", held=("1",))
    desk.shop.tell("2")
    process = desk.shop.start("run", "2")
    desk.shop.wait_started("2")
    try:
        living, dead = desk.runs()
        found = kept(desk, "--older-than", "0s")
        assert found == {
            "shop#1": f"run {dead} was interrupted: `weft recover`",
            "shop#2": f"run {living} is under way",
        }
        desk.weft("clean", "--older-than", "0s")
    finally:
        desk.shop.release("2")
        process.communicate()
    assert process.returncode == 0
    assert desk.weft("recover").code == 0


def test_the_users_checkout_and_branches_are_untouched(desk: Desk, workspace: Path) -> None:
    """Never a branch, never a saved ref, never the user's checkout."""
    before = desk.shop.repo.git("for-each-ref"), desk.shop.repo.git("status", "--porcelain")
    desk.weft("clean", "--older-than", "0s")
    assert (desk.shop.repo.git("for-each-ref"), desk.shop.repo.git("status", "--porcelain")) == before
