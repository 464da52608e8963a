"""What stops tasks: the first failure, Ctrl-C, SIGTERM, `weft cancel`. Nothing survives, and the numbers add up."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from tests.support.task_folder import TaskFolder, check_counts, statuses

DAEMONS = Path(__file__).parents[2] / "support" / "daemons.sh"


def with_daemons(folder: TaskFolder, name: str) -> str:
    """Descendants of every shape that hold the task's output open and are deaf to SIGTERM."""
    return f"STAGE='{folder.root}'; MARK={name}; . '{DAEMONS}'\n"


def test_fail_fast_stops_all(folder: TaskFolder) -> None:
    """TASK-5: running tasks are stopped with all their descendants, queued ones never start, all is counted."""
    folder.settings(top='grace = "300ms"')
    (folder.place / "weft.toml").write_text((folder.place / "weft.toml").read_text().replace('grace = "5s"\n', ""))
    folder.tasks(
        f"{with_daemons(folder, 'one')}{folder.hold('running')}",
        f"{folder.hold('fails')}exit 7",
        "echo never > never",
        "echo never > never",
        max_parallel=2,
    )
    run = folder.start("parallel", "--file", "tasks.json", "--json", "--fail-fast")
    run.until(folder.at("running", "fails"))
    began = time.monotonic()
    folder.go("fails")
    answer = run.wait()
    took = time.monotonic() - began
    assert (answer.code, statuses(answer)) == (1, ["cancelled", "failed", "cancelled", "cancelled"])
    assert [result["exit_code"] for result in answer.document["results"]] == [130, 7, 130, 130]
    check_counts(answer.document)
    assert not (folder.place / "never").exists()
    assert folder.alive() == []
    assert took < 30, "the pipe that a grandchild holds is not waited for"


def test_a_completed_task_stays_completed(folder: TaskFolder) -> None:
    """TASK-5: what had ended before the first failure keeps its result."""
    folder.tasks("echo done", "exit 1", "echo never", max_parallel=1, fail_fast=True)
    answer = folder.parallel()
    assert statuses(answer) == ["completed", "failed", "cancelled"]
    assert answer.document["results"][0]["output"] == "done"
    check_counts(answer.document)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_one_document(folder: TaskFolder, number: signal.Signals, code: int) -> None:
    """TASK-7: stdout is one JSON document also then, with what was finished; no process is left."""
    folder.tasks(
        "echo finished",
        f"{with_daemons(folder, 'x')}echo partial; {folder.hold('running')}",
        "echo never",
        max_parallel=1,
    )
    (folder.place / "weft.toml").write_text(
        (folder.place / "weft.toml").read_text().replace('grace = "5s"', 'grace = "300ms"')
    )
    run = folder.start("parallel", "--file", "tasks.json", "--json", "--output-dir", "out")
    run.until(folder.at("running"))
    run.send(number)
    answer = run.wait()
    assert (answer.code, statuses(answer)) == (code, ["completed", "cancelled", "cancelled"])
    assert [result["output"] for result in answer.document["results"]] == ["finished", "partial", ""]
    check_counts(answer.document)
    assert folder.alive() == []


def test_ctrl_c_in_text(folder: TaskFolder) -> None:
    """TASK-6: the table and the total are printed of what there is."""
    folder.tasks("echo finished", folder.hold("running"), max_parallel=1)
    run = folder.start("parallel", "--file", "tasks.json")
    run.until(folder.at("running"))
    run.send_group(signal.SIGINT)
    answer = run.wait()
    assert answer.code == 130
    assert "[1] finished" in answer.out
    assert "Total: 2 tasks, 1 completed, 0 failed, 1 cancelled" in answer.out


def test_one_task_can_be_cancelled(folder: TaskFolder) -> None:
    """TASK-7b: `weft cancel` ends one; those that depend on it are skipped, the others go on."""
    folder.tasks(
        {"id": "a", "prompt": folder.hold("a")},
        {"id": "b", "prompt": "echo b", "depends_on": ["a"]},
        {"id": "c", "prompt": folder.hold("c")},
    )
    run = folder.start("parallel", "--file", "tasks.json", "--json")
    run.until(folder.at("a", "c"))
    assert folder.weft("cancel", "a").code == 0
    folder.go("c")
    answer = run.wait()
    assert (answer.code, statuses(answer)) == (1, ["cancelled", "skipped", "completed"])
    check_counts(answer.document)
