"""What is kept of tasks: `output_dir`, results of earlier runs, branches, and after a crash."""

from __future__ import annotations

import json
import os
import signal

import pytest
from tests.git_repo import GitRepo
from tests.support.task_folder import TaskFolder, check_counts, outputs, statuses

from weft.model.events import AttemptStarted


def test_files_are_written_as_tasks_end(folder: TaskFolder) -> None:
    """TASK-8: `summary.json` and one file per task, whole at every moment, while others still run."""
    folder.tasks({"id": "first", "prompt": "echo one"}, folder.hold("two"), output_dir="out/deep")
    run = folder.start("parallel", "--file", "tasks.json", "--json")
    out = folder.place / "out" / "deep"
    run.until(lambda: (out / "summary.json").exists() and folder.at("two")())
    assert json.loads((out / "001-first.json").read_text())["output"] == "one"
    so_far = json.loads((out / "summary.json").read_text())
    assert (so_far["total_tasks"], so_far["completed"], so_far["end_time"]) == (2, 1, None)
    folder.go("two")
    answer = run.wait()
    assert json.loads((out / "summary.json").read_text()) == answer.document
    assert sorted(path.name for path in out.iterdir()) == ["001-first.json", "002-sh.json", "summary.json"]


def test_the_flag_says_where(folder: TaskFolder) -> None:
    """TASK-3, TASK-8: `--output-dir` counts before the file's."""
    folder.tasks("echo a", output_dir="of-file")
    assert folder.parallel("--output-dir", "of-flag").code == 0
    assert (folder.place / "of-flag" / "summary.json").exists()
    assert not (folder.place / "of-file").exists()
    (folder.place / "taken").touch()
    refused = folder.parallel("--output-dir", "taken/x")
    assert (refused.code, "output_dir" in refused.err) == (2, True)


def test_only_what_did_not_succeed_runs_again(folder: TaskFolder) -> None:
    """TASK-9: results in the file's order, with the outputs of the run that did them."""
    folder.tasks(
        {"prompt": "echo 1 >> count; echo one", "meta": {"k": 1}},
        {"id": "b", "prompt": "echo 2 >> count; test -e mended && echo two"},
        {"prompt": "echo 3 >> count; echo three", "depends_on": ["b"]},
    )
    first = folder.parallel()
    assert statuses(first) == ["completed", "failed", "skipped"]
    run = folder.runs()[-1]
    assert f"next: weft parallel --resume {run}" in first.err
    (folder.place / "mended").touch()
    second = folder.weft("parallel", "--resume", run, "--json")
    assert (second.code, outputs(second)) == (0, ["one", "two", "three"])
    assert second.document["results"][0] == first.document["results"][0]
    check_counts(second.document)
    third = folder.weft("parallel", "--resume", folder.runs()[-1], "--json")
    assert outputs(third) == ["one", "two", "three"]
    assert sorted((folder.place / "count").read_text().split()) == ["1", "2", "2", "3"]


def test_a_changed_task_runs_again(folder: TaskFolder) -> None:
    """TASK-9: with `--file` the tasks are the file's; what it says otherwise now was not done."""
    folder.tasks("echo 1 >> count; echo one", "echo 2 >> count; echo two", "exit 1")
    folder.parallel()
    folder.tasks("echo 1 >> count; echo one", "echo 2 >> count; echo TWO", "echo 3 >> count")
    answer = folder.parallel("--resume", folder.runs()[-1])
    assert (answer.code, outputs(answer)) == (0, ["one", "TWO", ""])
    assert sorted((folder.place / "count").read_text().split()) == ["1", "2", "2", "3"]


def test_runs_that_cannot_be_resumed(folder: TaskFolder) -> None:
    """TASK-9: one that is not known, and one that is under way."""
    folder.tasks(folder.hold("a"))
    assert folder.weft("parallel", "--resume", "r-nope").code == 2
    run = folder.start("parallel", "--file", "tasks.json")
    run.until(folder.at("a"))
    refused = folder.weft("parallel", "--resume", folder.runs()[-1])
    assert (refused.code, "is under way" in refused.err) == (2, True)
    folder.go("a")
    assert run.wait().code == 0


@pytest.fixture
def repo(folder: TaskFolder) -> GitRepo:
    made = GitRepo(folder.place / "shop", folder.root / "home")
    made.write("src/a.txt", "a\n")
    made.commit("start")
    return made


def test_a_worktree_of_its_own(folder: TaskFolder, repo: GitRepo) -> None:
    """TASK-10: the checkout stays as it is; branch and diff stat are reported; reading tasks succeed too."""
    folder.tasks(
        {"prompt": "echo b > b.txt", "name": "Add b"},
        {"prompt": "pwd; echo c >> a.txt", "workdir": "shop/src"},
        {"prompt": "cat src/a.txt"},
    )
    document = json.loads((folder.place / "tasks.json").read_text())
    for task in document["tasks"]:
        task.update(isolation="worktree", workdir=task.get("workdir", "shop"))
    folder.file(document)
    answer = folder.parallel()
    assert (answer.code, statuses(answer)) == (0, ["completed"] * 3), answer.err
    first, second, third = answer.document["results"]
    run = folder.runs()[-1]
    assert first["branch"] == f"weft/{run}/1-add-b"
    assert "b.txt | 1 +" in first["diff_stat"]
    assert (third["output"], third["diff_stat"]) == ("a", "")
    assert second["output"].endswith("/src")
    assert repo.git("show", f"{second['branch']}:src/a.txt") == "a\nc"
    assert repo.git("status", "--porcelain") == ""
    assert not (repo.path / "b.txt").exists()
    assert folder.weft("diff", "shop#1", "--stat").out.startswith(" b.txt")


def test_tasks_build_on_those_they_depend_on(folder: TaskFolder, repo: GitRepo) -> None:
    """TASK-10, TASK-11: in worktrees of one repo a task starts from the work of those it waited for."""
    own = {"isolation": "worktree", "workdir": "shop"}
    folder.tasks({"id": "a", "prompt": "echo b > b.txt", **own}, {"prompt": "cat b.txt", "depends_on": ["a"], **own})
    assert outputs(folder.parallel()) == ["", "b"]


def test_who_may_write_to_one_folder(folder: TaskFolder) -> None:
    """TASK-10: a warning when two tasks may write to the same folder at once; none for reads or ordered ones."""
    write = {"prompt": "true", "approval_mode": "auto"}
    folder.tasks(write, "true", write)
    warned = "warning: tasks[0] and tasks[2] may write to"
    assert warned in folder.parallel().err
    assert warned not in folder.parallel("--max-parallel", "1").err
    folder.tasks({**write, "id": "a"}, "true", {**write, "depends_on": ["a"]}, {**write, "sandbox_mode": "read-only"})
    assert "may write" not in folder.parallel().err


def test_a_run_that_was_killed_goes_on(folder: TaskFolder) -> None:
    """RECOVER-2: after kill -9 `weft recover` runs what had not ended, and nothing twice."""
    folder.tasks("echo 1 >> count", folder.hold("b"), "echo 3 >> count", max_parallel=1)
    run = folder.start("parallel", "--file", "tasks.json", "--json")
    run.until(folder.at("b"))
    os.kill(run.process.pid, signal.SIGKILL)
    run.process.wait()
    folder.go("b")
    answer = folder.weft("recover", "--json")
    assert answer.code == 0, answer.err
    assert answer.document["mode"] == "tasks"
    assert [job["status"] for job in answer.document["jobs"]] == ["passed"] * 3
    assert (folder.place / "count").read_text().split() == ["1", "3"]


def test_a_killed_run_can_be_resumed_instead(folder: TaskFolder) -> None:
    """TASK-9, RECOVER-4: what the new run does is out of the dead one."""
    folder.tasks("echo 1 >> count; echo one", f"{folder.hold('b')}echo two", max_parallel=1)
    run = folder.start("parallel", "--file", "tasks.json")
    run.until(folder.at("b"))
    os.kill(run.process.pid, signal.SIGKILL)
    run.process.wait()
    dead = folder.runs()[-1]
    folder.go("b")
    assert outputs(folder.weft("parallel", "--resume", dead, "--json")) == ["one", "two"]
    folder.weft("recover", dead)
    begun = [event for event in folder.events(dead) if isinstance(event, AttemptStarted)]
    assert len(begun) == 2
    assert (folder.place / "count").read_text().split() == ["1"]


def test_other_commands_know_tasks(folder: TaskFolder) -> None:
    """RUN-16, RUN-17: `status`, `logs`, `report`, `stats` and `why` work on runs of tasks."""
    folder.tasks({"id": "audit", "prompt": "echo found nothing", "name": "Audit the code"}, "exit 2")
    folder.parallel()
    run = folder.runs()[-1]
    assert run in folder.weft("status", "--all").out
    assert "found nothing" in folder.weft("logs", "audit", "--transcript").out
    assert "Audit the code" in folder.weft("report", run).out
    assert "weft diff" not in folder.weft("report", run).out
    assert json.loads(folder.weft("report", run, "--json").out)["mode"] == "tasks"
    assert "tasks" in folder.weft("stats").out
    assert "has ended: failed" in folder.weft("why", "2").out


def test_a_task_is_no_issue(folder: TaskFolder, repo: GitRepo) -> None:
    """RUN-20: a task that is called `1` is not taken for the issue of that number."""
    repo.write("issues/1.md", "---\ntitle: One\n---\nDo it.\n")
    agent = '[agents.sh]\nkind = "command"\nargv = ["/bin/sh", "-c", "echo x > x.txt"]\n'
    repo.write("weft.toml", f'agent = "sh"\n[run]\nphases = ["exec"]\n[gates]\ntest = ""\n{agent}')
    repo.commit("issue")
    repo.write("issues/2.md", "---\ntitle: Two\ndepends_on: [1]\n---\nDo it.\n")
    repo.commit("another")
    folder.tasks({"prompt": "echo b > b.txt", "isolation": "worktree", "workdir": "shop"})
    assert folder.parallel().code == 0
    assert folder.weft("run", "2", "--json", cwd=repo.path).statuses == {"2": "parked"}
    assert folder.weft("run", "1", "--json", cwd=repo.path).statuses == {"1": "passed"}
    assert folder.parallel().code == 0
    assert folder.weft("run", "1", "--json", cwd=repo.path).statuses == {"1": "skipped"}
