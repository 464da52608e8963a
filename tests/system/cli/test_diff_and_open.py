"""`weft diff` and `weft open`: a job's work and its workspace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.system.cli.desk import Desk


def test_what_a_passed_job_changed(desk: Desk) -> None:
    """The branch against the commit it started from, also when the base has moved on."""
    assert desk.weft("run", "1", "--quiet").code == 0
    desk.shop.repo.write("later.txt", "later\n")
    desk.shop.repo.commit("main goes on")
    out = desk.weft("diff", "1").out
    assert "+++ b/done-1.txt" in out
    assert "later.txt" not in out
    assert desk.weft("diff", "#1", "--stat").out.startswith(" done-1.txt | 1 +\n")
    document = json.loads(desk.weft("diff", "shop#1", "--json").out)
    assert (document["job"], document["branch"], document["status"]) == ("shop#1", "weft/1-title-1", "passed")
    assert "+++ b/done-1.txt" in document["diff"]


def test_a_run_that_skipped_the_job_does_not_hide_its_work(desk: Desk) -> None:
    """RUN-20: the second run skips it; its work is still shown."""
    assert desk.weft("run", "1", "--quiet").code == 0
    assert desk.weft("run", "1", "--quiet").code == 0
    assert "done-1.txt" in desk.weft("diff", "1", "--stat").out
    newest, _ = desk.runs()
    answer = desk.weft("diff", "1", "--run", newest)
    assert (answer.code, answer.err.splitlines()[0]) == (2, "error: shop#1 has not been worked on")


def test_the_work_of_a_failed_job(desk: Desk) -> None:
    """What a failed job left uncommitted is on a saved ref, which `diff` names and `--saved` shows."""
    desk.shop.tell("1", "fails")
    assert desk.weft("run", "1", "--quiet").code == 1
    [saved] = desk.shop.repo.saved()
    answer = desk.weft("diff", "1")
    assert (answer.code, answer.out) == (0, "")
    assert saved in answer.err
    assert "+++ b/dirt.txt" in desk.weft("diff", "1", "--saved").out
    assert desk.weft("diff", "1", "--json").code == 0


def test_a_branch_that_is_gone(desk: Desk) -> None:
    """Where the branch was deleted, the commit that the journal remembers is shown; without it, a clear error."""
    assert desk.weft("run", "1", "--quiet").code == 0
    desk.shop.repo.git("branch", "-D", "weft/1-title-1")
    assert "+++ b/done-1.txt" in desk.weft("diff", "1").out
    desk.shop.repo.git("reflog", "expire", "--expire=now", "--all")
    desk.shop.repo.git("gc", "-q", "--prune=now")
    answer = desk.weft("diff", "1")
    assert (answer.code, answer.err.splitlines()[0]) == (
        2,
        "error: the branch `weft/1-title-1` of shop#1 is gone, and so is its last commit",
    )


def test_nothing_saved(desk: Desk) -> None:
    """`--saved` without anything saved is exit 2."""
    assert desk.weft("run", "1", "--quiet").code == 0
    assert desk.weft("diff", "1", "--saved").code == 2


@pytest.mark.parametrize("command", ["diff", "open"])
def test_unknown_jobs(desk: Desk, command: str) -> None:
    """An unknown job is exit 2 with the known ones."""
    assert desk.weft("run", "1", "--quiet").code == 0
    answer = desk.weft(command, "9")
    assert (answer.code, answer.err) == (2, "error: Unknown job `9`\nhint: known are `shop#1`\n")


def test_opening_a_kept_workspace(desk: Desk) -> None:
    """A failed job's workspace is kept: its path is printed where there is no terminal."""
    desk.shop.tell("1", "fails")
    assert desk.weft("run", "1", "--quiet").code == 1
    out = desk.weft("open", "1").out
    assert (Path(out.strip()) / "dirt.txt").exists()
    assert desk.weft("open", "1", "--print").out == out
    assert json.loads(desk.weft("open", "1", "--json").out)["workspace"] == out.strip()


def test_opening_a_workspace_that_was_removed(desk: Desk) -> None:
    """RUN-14: a passed job's workspace is gone; the branch and how to check it out are told."""
    assert desk.weft("run", "1", "--quiet").code == 0
    answer = desk.weft("open", "1")
    assert answer.code == 0
    assert "its work is on branch weft/1-title-1" in answer.out
    assert "worktree add FOLDER weft/1-title-1" in answer.out
    printed = desk.weft("open", "1", "--print")
    assert (printed.code, printed.out) == (1, "")
    assert json.loads(desk.weft("open", "1", "--json").out)["workspace"] is None
