"""Locks in a wave: one worker per issue, repo by repo (LOCK-3)."""

from __future__ import annotations

import os

import pytest
from tests.support.fleet import Fleet, reasons, statuses


def test_a_locked_issue_is_left_alone(fleet: Fleet) -> None:
    """LOCK-3: an issue that another holds ends as locked; the same number in another repo is not meant. The plan
    warns and names the repo.
    """
    fleet.issues("api#1", "api#2", "ui#1", "ui#2")
    held = fleet.shops["ui"].weft("locks", "acquire", "1", "--pid", str(os.getpid()))
    assert held.code == 0, held.err
    plan = fleet.wave("plan", "M1")
    assert plan.code == 0, plan.err
    assert [line for line in plan.lines if "locked by" in line and "ui: " in line], plan.err
    assert not [line for line in plan.lines if "locked by" in line and "api: " in line]
    answer = fleet.run("M1")
    assert statuses(answer) == {"api#1": "passed", "api#2": "passed", "ui#1": "locked", "ui#2": "passed"}
    assert (reasons(answer)["ui#1"] or "").startswith(f"locked by PID {os.getpid()} ")
    assert fleet.shops["ui"].weft("locks", "clear", "1", "--force").code == 0


def test_the_lock_is_taken_as_the_job_starts(fleet: Fleet) -> None:
    """LOCK-3: what waits for its turn is not locked yet."""
    fleet.issues("api#1", "api#2")
    fleet.first.does("exec", 'hold "$id"; echo x > "$id.txt"')
    started = fleet.start("M1")
    started.until(fleet.first.reached("api-1"))
    assert fleet.shops["api"].weft("locks", "check", "1").code == 1
    assert fleet.shops["api"].weft("locks", "check", "2").code == 0
    fleet.first.go("all")
    assert started.wait().code == 0


def test_one_folder_of_locks_for_two_repos(fleet: Fleet, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Locks are named by the issue: in one folder `api#1` and `ui#1` would be the same, so that is refused."""
    fleet.issues("api#1", "ui#1")
    shared = tmp_path_factory.mktemp("locks")
    answer = fleet.wave("plan", "M1", WEFT_LOCKS_DIR=str(shared))
    assert answer.code == 2
    assert f"error: Invalid WEFT_LOCKS_DIR value: {shared}. " in answer.err
    assert fleet.wave("plan", "M1", WEFT_LOCKS_DIR="locks").code == 0
