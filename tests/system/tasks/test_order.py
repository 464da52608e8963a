"""When tasks start and how many at once: told by barriers, not by clocks."""

from __future__ import annotations

from tests.support.task_folder import TaskFolder, outputs, statuses


def test_tasks_start_in_file_order_as_slots_free_up(folder: TaskFolder) -> None:
    """TASK-4: first come, first served; never more at once than allowed; results in the file's order."""
    folder.tasks(*(f"{folder.hold(name)}echo {name}" for name in "abcdef"), max_parallel=2)
    run = folder.start("parallel", "--file", "tasks.json", "--json")
    steps = [("b", "abc"), ("c", "abcd"), ("a", "abcde"), ("e", "abcdef")]
    run.until(folder.at("a", "b"))
    assert folder.all_at() == {"a", "b"}
    for ends, begun in steps:
        folder.go(ends)
        run.until(folder.at(*begun))
        assert folder.all_at() == set(begun)
    folder.go("d", "f")
    assert outputs(run.wait()) == list("abcdef")


def test_the_cap_can_be_moved(folder: TaskFolder) -> None:
    """RUN-18, TASK-4: `weft cap` acts on a run of tasks as on any other."""
    folder.tasks(*(folder.hold(name) for name in "abc"), max_parallel=1)
    run = folder.start("parallel", "--file", "tasks.json", "--json")
    run.until(folder.at("a"))
    assert folder.weft("cap", "3").code == 0
    run.until(folder.at("a", "b", "c"))
    folder.go("a", "b", "c")
    assert statuses(run.wait()) == ["completed"] * 3


def test_dependencies_order_tasks(folder: TaskFolder) -> None:
    """TASK-11: a task starts once all it depends on have succeeded, wherever they stand in the file."""
    folder.tasks(
        {"prompt": "cat first second", "depends_on": ["two", "one"]},
        {"id": "two", "prompt": f"{folder.hold('two')}echo 2 > second"},
        {"id": "one", "prompt": f"{folder.hold('one')}echo 1 > first"},
    )
    run = folder.start("parallel", "--file", "tasks.json", "--json")
    run.until(folder.at("one", "two"))
    folder.go("one", "two")
    assert outputs(run.wait()) == ["1\n2", "", ""]


def test_a_task_whose_dependency_failed_is_skipped(folder: TaskFolder) -> None:
    """TASK-11, TASK-7b: with all behind it; exit code 130, counted as cancelled."""
    folder.tasks(
        {"id": "a", "prompt": "exit 1"},
        {"id": "b", "prompt": "echo b", "depends_on": ["a"]},
        {"id": "c", "prompt": "echo c", "depends_on": ["b"]},
        "echo d",
    )
    answer = folder.parallel()
    assert statuses(answer) == ["failed", "skipped", "skipped", "completed"]
    results = answer.document["results"]
    assert [result["exit_code"] for result in results] == [1, 130, 130, 0]
    assert (results[1]["start_time"], results[1]["output"]) == (None, "")
    assert results[1]["error"] == "unmet dependency place#a"
    counted = {name: answer.document[name] for name in ("completed", "failed", "cancelled")}
    assert counted == {"completed": 1, "failed": 1, "cancelled": 2}
