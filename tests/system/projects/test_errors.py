"""All errors of all projects, and how a run that is stopped says so."""

from __future__ import annotations

import json
import signal

import pytest
from tests.support.estate import Estate, statuses
from tests.support.hook_server import hook_server

PARALLEL = "[schedule]\nproject_parallelism = true\n"


def broken(estate: Estate) -> None:
    """Three projects that fail in three ways, among three that do not."""
    estate.projects("a", "agent", "b")
    estate.listed("nowhere")
    estate.projects("gate", "c")
    estate.settings(PARALLEL, test="test ! -e bad.txt")
    estate.does("exec-agent", "echo the key is refused >&2; exit 4")
    estate.does("exec-gate", "echo x > bad.txt")
    estate.does("exec-c", "exit 0")


MESSAGES = {"agent": "the key is refused", "nowhere": "is not a folder", "gate": "gate test failed"}


def test_three_errors_in_json_and_reports(estate: Estate) -> None:
    """PROJ-6, PROJ-7: all three errors are in the JSON and in both reports; the other projects complete; exit 1."""
    broken(estate)
    answer = estate.run()
    document = answer.document
    assert answer.code == document["exit_code"] == 1
    assert {error["project"] for error in document["errors"]} == MESSAGES.keys()
    assert all(MESSAGES[error["project"]] in error["message"] for error in document["errors"])
    assert len(document["errors"]) == 3
    wanted = dict.fromkeys(MESSAGES, "failed") | {"a": "passed", "b": "passed", "c": "no_change"}
    assert statuses(document) == wanted
    run = document["run"]
    reports = estate.reports()
    assert reports.keys() == {f"{run}.json", f"{run}.md", f"{run}.html"}
    assert json.loads(reports[f"{run}.json"])["errors"] == document["errors"]
    assert "## Errors: 3" in reports[f"{run}.md"]
    assert all(message in reports[f"{run}.md"] for message in MESSAGES.values())
    assert estate.weft("report", run, "--json").document["errors"] == document["errors"]


def test_three_errors_in_the_summary(estate: Estate) -> None:
    """PROJ-6, PROJ-7: the summary has its heading, the count and every error."""
    broken(estate)
    answer = estate.weft("projects", "run", "--yes")
    assert answer.code == 1
    lines = answer.out.splitlines()
    assert lines[0] == "=== Run Complete ==="
    at = lines.index("errors: 3")
    told = {line.strip().partition(":")[0]: line for line in lines[at + 1 : at + 4]}
    assert told.keys() == MESSAGES.keys()
    assert all(MESSAGES[name] in line for name, line in told.items())
    assert not any(line.startswith("run cancelled") for line in lines)


def test_no_change_is_a_success(estate: Estate) -> None:
    """PROJ-9: finding that nothing needs to change is an outcome, exit 0, and leaves no workspace."""
    estate.project("a")
    estate.does("exec", "exit 0")
    answer = estate.run()
    assert answer.code == 0, answer.err
    assert statuses(answer.document) == {"a": "no_change"}
    assert answer.document["jobs"][0]["status"] == "no_change"
    assert not list(estate.state.glob("worktrees/*/a.*"))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_cancelled_says_why_and_reports(estate: Estate, number: signal.Signals, code: int) -> None:
    """PROJ-6, PROJ-7: a signal ends the run with `run cancelled: …`, and the report is written all the same; what was
    done before it counts.
    """
    estate.projects("a", "b", "c")
    estate.settings(f"{PARALLEL}max_parallel_projects = 2")
    estate.does("exec-b", "hold b; echo x > b.txt")
    started = estate.start("projects", "run", "--yes")
    started.until(lambda: estate.reached("b")() and "Task a#tidy completed" in started.err)
    started.until(lambda: "Task c#tidy completed" in started.err)
    started.send(number)
    answer = started.wait()
    assert answer.code == code
    lines = answer.out.splitlines()
    assert lines[0] == "=== Run Complete ==="
    assert [line for line in lines if line.startswith("run cancelled: ") and number.name in line]
    reports = estate.reports()
    assert any("run cancelled: " in text for name, text in reports.items() if name.endswith(".md"))
    document = json.loads(next(text for name, text in reports.items() if name.endswith(".json")))
    assert statuses(document) == {"a": "passed", "b": "cancelled", "c": "passed"}
    assert number.name in document["cancelled"]
    assert document["errors"] == []


def test_a_cancelled_project_can_run_again(estate: Estate) -> None:
    """PROJ-4: what was cut short does not count as the project's run."""
    estate.project("a")
    estate.does("exec", "hold a; echo x > a.txt")
    started = estate.start_run()
    started.until(estate.reached("a"))
    started.send(signal.SIGTERM)
    assert started.wait().code == 143
    estate.go("all")
    answer = estate.run()
    assert answer.code == 0, answer.err
    assert statuses(answer.document) == {"a": "passed"}
    assert len(estate.reports()) == 6


def test_one_fails_one_hangs_one_floods(estate: Estate) -> None:
    """PROJ-11: beside a project that fails, one that hangs until its time is up, and one that floods its output, the
    others complete; nothing is lost and nothing is left.
    """
    estate.projects("fails", "hangs", "floods", "a", "b", "c")
    estate.settings(f'{PARALLEL}[phases.exec]\ntimeout = "2s"', grace="1s")
    estate.does("exec-fails", "exit 1")
    estate.does("exec-hangs", "trap '' TERM; while :; do sleep 1; done")
    estate.does("exec-floods", "head -c 20000000 /dev/zero | tr '\\0' 'x' | fold -w 200; echo x > f.txt")
    answer = estate.run()
    assert answer.code == 1
    wanted = dict.fromkeys(("floods", "a", "b", "c"), "passed") | {"fails": "failed", "hangs": "failed"}
    assert statuses(answer.document) == wanted
    assert {error["project"] for error in answer.document["errors"]} == {"fails", "hangs"}


def test_people_are_told_of_runs_over_projects(estate: Estate) -> None:
    """UI-4: `[notify]` holds for them as for any run, and what cannot be told is a warning."""
    with hook_server() as hook:
        estate.projects("a")
        estate.settings(f'[notify]\nwebhook = "{hook.url}"\ncommand = "exit 3"\n')
        answer = estate.run()
    assert answer.code == 0
    assert hook.events() == ["run_ended"]
    assert hook.bodies[0]["mode"] == "projects"
    assert "was not told of `run_ended`: exit status 3" in answer.err
