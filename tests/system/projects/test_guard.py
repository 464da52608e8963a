"""A project has one run a night, and one run at a time (PROJ-4)."""

from __future__ import annotations

import signal

from tests.support.estate import Estate, statuses

PARALLEL = "[schedule]\nproject_parallelism = true\n"


def reasons(document: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return {project["name"]: project["reason"] for project in document["projects"]}


def test_a_finished_one_cannot_run_again_a_failed_one_can(estate: Estate) -> None:
    """PROJ-4: in the same night a finished project is skipped with the reason; one that failed runs again."""
    estate.projects("good", "idle", "bad")
    estate.settings(PARALLEL)
    estate.does("exec-idle", "exit 0")
    estate.does("exec-bad", "exit 1")
    first = estate.run()
    assert statuses(first.document) == {"good": "passed", "idle": "no_change", "bad": "failed"}
    estate.does("exec-bad", "echo x > b.txt")
    second = estate.run()
    assert second.code == 0, second.err
    assert statuses(second.document) == {"good": "skipped", "idle": "skipped", "bad": "passed"}
    assert reasons(second.document)["idle"] == f"had its run (run {first.document['run']})"
    assert sorted(estate.sessions()) == ["bad#tidy", "bad#tidy", "good#tidy", "idle#tidy"]


def test_only_what_failed_is_done_again(estate: Estate) -> None:
    """PROJ-4: of a project one of whose tasks failed, that task alone runs again."""
    estate.project("a", ("tidy", "polish"))
    estate.does("exec-a-tidy", "exit 0")
    estate.does("exec-a-polish", "exit 1")
    assert estate.run().code == 1
    assert estate.run().code == 1
    assert estate.sessions() == ["a#tidy", "a#polish", "a#polish"]


def test_nothing_ran_because(estate: Estate) -> None:
    """PROJ-5: nothing to do says why, exit 0; no run is made of it and no report."""
    estate.project("a")
    estate.does("exec", "exit 0")
    run = estate.run().document["run"]
    answer = estate.weft("projects", "run", "--yes")
    assert answer.code == 0
    assert answer.out == f"Nothing ran because: a: had its run (run {run})\n"
    assert len(estate.reports()) == 3
    document = estate.run().document
    assert document["run"] is None
    assert document["jobs"] == []
    assert document["nothing"] == f"a: had its run (run {run})"


def test_again_and_task_override(estate: Estate) -> None:
    """PROJ-4: `--again` runs what had its run; `--task NAME` runs that task alone, done before or not."""
    estate.project("a", ("tidy", "polish"))
    estate.does("exec", "exit 0")
    assert estate.run().code == 0
    assert estate.run().document["run"] is None
    assert len(estate.run("--again").document["jobs"]) == 2
    document = estate.run("--task", "polish").document
    assert [job["key"] for job in document["jobs"]] == ["a#polish"]
    assert document["projects"][0]["left_out"] == [{"task": "tidy", "why": "not asked for"}]


def test_an_unknown_task_is_refused(estate: Estate) -> None:
    """Bad input: `--task` names a task that exists."""
    estate.project("a")
    answer = estate.run("--task", "tydi")
    assert answer.code == 2
    assert "Unknown task `tydi`" in answer.err


def test_cooldown_holds_over_nights(estate: Estate) -> None:
    """PROJ-1: a task is not done again before its cooldown is over; the plan says when it is due."""
    estate.project("a")
    estate.settings('[schedule]\nwindow = "00:00-00:00"')
    text = (estate.root / "weft.toml").read_text()
    estate.does("exec", "exit 0")
    assert estate.run().code == 0
    (estate.root / "weft.toml").write_text(text.replace('prompt = "Tidy up"', 'prompt = "Tidy up"\ncooldown = "3d"'))
    _a_day_passes(estate)
    answer = estate.weft("projects", "plan")
    assert "skipped: done 1d 0h ago in run" in answer.out
    assert "due again in " in answer.out
    (estate.root / "weft.toml").write_text(text)
    assert len(estate.run().document["jobs"]) == 1


def _a_day_passes(estate: Estate) -> None:
    """All that was written is a day and a minute older."""
    import sqlite3
    from contextlib import closing

    day = 86400 + 60
    with closing(sqlite3.connect(estate.state / "weft.db")) as connection, connection:
        connection.execute("UPDATE runs SET started_at = started_at - ?, ended_at = ended_at - ?", (day, day))
        connection.execute("UPDATE events SET at = at - ?, body = json_set(body, '$.at', at - ?)", (day, day))


def test_two_runs_at_once_never_share_a_project(estate: Estate) -> None:
    """PROJ-4: of two runs at the same moment each project is taken by one, and the other says who has it."""
    estate.projects("a", "b")
    estate.settings(PARALLEL)
    estate.does("exec", 'hold "$project"; echo x > "$task.txt"')
    first = estate.start_run()
    first.until(estate.reached("a", "b"))
    second = estate.run()
    assert second.code == 0, second.err
    assert second.document["run"] is None
    assert all(f"(PID {first.process.pid})" in reason for reason in reasons(second.document).values())
    estate.go("all")
    assert first.wait().code == 0
    assert sorted(estate.sessions()) == ["a#tidy", "b#tidy"]


def test_many_runs_begun_together_take_each_project_once(estate: Estate) -> None:
    """PROJ-4: whatever the interleaving of runs that start together, every project is taken exactly once."""
    names = ("a", "b", "c")
    estate.projects(*names)
    estate.settings(PARALLEL)
    started = [estate.start_run() for _ in range(4)]
    documents = [one.wait().document for one in started]
    done = sorted(job["key"] for document in documents for job in document["jobs"])
    assert done == [f"{name}#tidy" for name in names]
    assert sorted(estate.sessions()) == done


def test_serial_runs_side_by_side_take_different_projects(estate: Estate) -> None:
    """PROJ-3, PROJ-4: a project that another run has is not eligible, so that the next one is taken."""
    estate.projects("a", "b")
    estate.does("exec", 'hold "$project"; echo x > "$task.txt"')
    first = estate.start_run()
    first.until(estate.reached("a"))
    second = estate.start_run()
    second.until(estate.reached("b"))
    estate.go("all")
    assert first.wait().code == second.wait().code == 0


def test_a_killed_run_lets_go(estate: Estate) -> None:
    """PROJ-4: a run that was killed -9 holds its projects no longer; the next run does its tasks, and whoever recovers
    the dead one does not do them again.
    """
    estate.projects("a")
    estate.does("exec", "hold a; echo x > a.txt")
    first = estate.start_run()
    first.until(estate.reached("a"))
    first.send(signal.SIGKILL)
    assert first.wait().code == -9
    estate.go("all")
    second = estate.run()
    assert second.code == 0, second.err
    assert statuses(second.document) == {"a": "passed"}
    runs = estate.weft("status", "--json", "--all").document["runs"]
    (dead,) = [run for run in runs if run["run"] != second.document["run"]]
    assert [(job["status"], job["reason"]) for job in dead["jobs"]] == [("cancelled", "taken over by a later run")]
    assert estate.weft("recover", dead["run"], "--json").document == {"runs": []}
    assert len(estate.sessions()) == 2


def test_a_killed_run_can_be_recovered(estate: Estate) -> None:
    """PROJ-4, PROJ-7: going on with it does what was left, holds its projects meanwhile, and writes its report."""
    estate.projects("a", "b")
    estate.settings(PARALLEL)
    estate.does("exec-a", "hold a; echo x > a.txt")
    first = estate.start_run()
    first.until(lambda: estate.reached("a")() and ("end", "b", "tidy", "qa") in estate.ledger())
    first.send(signal.SIGKILL)
    first.wait()
    (run,) = [one["run"] for one in estate.weft("status", "--json", "--all").document["runs"]]
    (estate.stage / "reached.a").unlink()
    recovering = estate.start("recover", run)
    recovering.until(estate.reached("a"))
    assert f"run {run} has it in hand" in estate.weft("projects", "plan").out
    estate.go("all")
    answer = recovering.wait()
    assert answer.code == 0, answer.err
    assert answer.out.startswith("=== Run Complete ===\n")
    assert f"{run}.md" in estate.reports()
