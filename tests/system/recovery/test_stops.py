"""A run that was stopped is not one that was interrupted; and a stop that is itself killed (RUN-14, RECOVER-1)."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest
from tests.system.recovery.outcome import check_no_process
from tests.system.recovery.world import ISSUES, World, kill, until

from weft.model.events import RunEnded, StopRequested

AGENT = """#!/bin/sh
trap '{on_term}' TERM
printf 'start %s\\n' "$3" >> "$LEDGER"
printf 'work of %s\\n' "$3" > in-progress.txt
while :; do sleep 0.05; done
"""


@pytest.fixture
def polite(tmp_path: Path) -> World:
    return world_of(tmp_path, on_term="exit 1")


@pytest.fixture
def deaf(tmp_path: Path) -> World:
    """Its agents do not hear SIGTERM, so that stopping takes a while."""
    return world_of(tmp_path, on_term="")


def world_of(folder: Path, on_term: str) -> World:
    agent = folder / "agent.sh"
    agent.write_text(AGENT.format(on_term=on_term))
    agent.chmod(0o755)
    return World(folder, agent=agent)


def started(world: World) -> subprocess.Popen[str]:
    """A run whose first three jobs are being worked on."""
    process = world.start("run", *ISSUES, "--json")
    until(lambda: len(world.noted()) == 3)
    until(lambda: len(list(world.state.glob("worktrees/*/*/in-progress.txt"))) == 3)
    return process


def saved_work(world: World) -> set[str]:
    return {world.repo.show(ref, "in-progress.txt") for ref in world.repo.saved()}


def statuses(document: dict[str, object]) -> dict[str, str]:
    jobs = document["jobs"]
    assert isinstance(jobs, list)
    return {job["issue"]: job["status"] for job in jobs}


EXPECTED = {"1": "cancelled", "2": "cancelled", "3": "not_run", "4": "cancelled", "5": "not_run"}


def test_ctrl_c_leaves_nothing_to_recover(polite: World) -> None:
    """Stopped in order: the run has ended, its work is saved, and recovery finds nothing to go on with."""
    process = started(polite)
    process.send_signal(signal.SIGINT)
    answer = polite.wait(process)
    assert answer.code == 130
    assert statuses(answer.document) == EXPECTED
    (run,) = polite.runs
    assert isinstance(polite.events(run)[-1], RunEnded)
    assert saved_work(polite) == {f"work of {words[1]}" for words in polite.noted()}
    assert polite.weft("recover", "--json").document == {"runs": []}
    check_no_process(run)


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_killed_in_the_middle_of_stopping(deaf: World, signal_number: signal.Signals) -> None:
    """What was to be stopped is not begun again: recovery ends it, with its work saved (RECOVER-1, principle 2)."""
    process = started(deaf)
    (run,) = deaf.runs
    process.send_signal(signal_number)
    until(lambda: any(isinstance(event, StopRequested) for event in deaf.events(run)))
    kill(process.pid)
    assert deaf.wait(process).code == -signal.SIGKILL
    sessions = deaf.noted()
    answer = deaf.weft("recover", "--json")
    assert statuses(answer.document) == EXPECTED, answer.err
    assert answer.code == 1
    assert deaf.noted() == sessions, "an agent was started to be stopped"
    assert saved_work(deaf) == {f"work of {words[1]}" for words in sessions}
    assert deaf.repo.checkout_state() == deaf.checkout
    assert deaf.git_locks() == []
    check_no_process(run)
