"""What is said before anything starts, and asking first (PROJ-5)."""

from __future__ import annotations

from tests.support.estate import Estate, statuses

PARALLEL = "[schedule]\nproject_parallelism = true\n"


def test_the_plan_names_every_project(estate: Estate) -> None:
    """PROJ-5: the mode, each project with its tasks or why it is skipped, the budget, what it may cost; nothing is
    changed.
    """
    estate.project("shop", ("lint-fix", "tidy"))
    estate.project("idle", ())
    estate.listed("nowhere")
    estate.settings(f"{PARALLEL}[budget]\nrun_tokens = 2_000_000\nday_usd = 12.5")
    answer = estate.weft("projects", "plan")
    assert answer.code == 0, answer.err
    lines = [" ".join(line.split()) for line in answer.out.splitlines()]
    assert lines[0] == "mode: parallel, at most 1 of 1"
    assert "✓ shop lint-fix, tidy" in lines
    assert "– idle skipped: it has no `tasks`" in lines
    assert f"✗ nowhere cannot run: `{estate.root}/nowhere` is not a folder" in lines
    assert "budget: run_tokens 2,000,000, day_usd $12.50" in lines
    cost = "2 tasks (1 low, 1 medium), one agent at a time; how much is unknown, no such task has passed yet"
    assert f"cost: {cost}" in lines
    assert not estate.state.exists()


def test_the_plan_as_data(estate: Estate) -> None:
    """PROJ-5: `--json` has the same."""
    estate.projects("a", "b")
    document = estate.weft("projects", "plan", "--json").document
    assert document["mode"] == "serial"
    assert document["agents"] == 1
    assert [(one["name"], one["status"], one["tasks"]) for one in document["projects"]] == [
        ("a", "eligible", ["a#tidy"]),
        ("b", "skipped", []),
    ]


def test_history_says_what_it_may_cost(estate: Estate) -> None:
    """PROJ-5: where tasks have passed before, preflight says how long they took and what is known of their cost."""
    estate.projects("a", "b")
    assert estate.run().code == 0
    plan = estate.weft("projects", "plan").out
    assert "an unknown amount, at least " in plan


def test_without_a_terminal_it_needs_yes(estate: Estate) -> None:
    """PROJ-5: without a terminal and without `--yes` it shows the plan and stops with exit 2 and the hint; nothing is
    started.
    """
    estate.project("a")
    answer = estate.weft("projects", "run")
    assert answer.code == 2
    assert "mode: serial" in answer.err
    assert answer.err.splitlines()[-1] == "hint: `--yes` does not ask"
    assert estate.sessions() == []


def test_on_a_terminal_it_asks(estate: Estate) -> None:
    """PROJ-5: on a terminal it asks; a no starts nothing, a yes does, and the summary comes in colour."""
    estate.projects("a", "b")
    estate.settings(PARALLEL)
    terminal = estate.terminal("projects", "run")
    terminal.until_shown("Start?")
    terminal.type("n\n")
    assert terminal.wait() == 0
    assert "Nothing was started" in terminal.raw
    assert estate.sessions() == []
    terminal = estate.terminal("projects", "run")
    terminal.until_shown("Start?")
    terminal.type("y\n")
    assert terminal.wait() == 0
    assert "\x1b[1m=== Run Complete ===" in terminal.raw
    assert sorted(estate.sessions()) == ["a#tidy", "b#tidy"]


def test_ctrl_c_is_an_answer(estate: Estate) -> None:
    """PROJ-5: one Ctrl-C at the question ends it, and nothing was started."""
    estate.projects("a")
    terminal = estate.terminal("projects", "run")
    terminal.until_shown("Start?")
    terminal.type("\x03")
    assert terminal.wait() == 130
    assert estate.sessions() == []


def test_projects_and_tasks_are_listed(estate: Estate) -> None:
    """PROJ-1: `weft projects list` shows the projects and every task, built in or not."""
    estate.project("shop", ("lint-fix", "tidy"))
    document = estate.weft("projects", "list", "--json").document
    assert [(one["name"], one["tasks"]) for one in document["projects"]] == [("shop", ["lint-fix", "tidy"])]
    names = {task["name"] for task in document["tasks"]}
    built_in = {"lint-fix", "docs-backfill", "test-gaps", "dependency-update", "dead-code", "changelog"}
    assert names == built_in | {"tidy", "polish"}
    assert all(task["gates"] and len(task["prompt"]) > 300 for task in document["tasks"] if task["name"] in built_in)
    assert "lint-fix" in estate.weft("projects", "list").out


def test_projects_of_the_same_name_are_told_apart(estate: Estate) -> None:
    """PROJ-1: two folders called alike are two projects with keys of their own."""
    estate.project("old/shop")
    estate.project("new/shop")
    estate.settings(PARALLEL)
    answer = estate.run()
    assert answer.code == 0, answer.err
    assert statuses(answer.document) == {"old-shop": "passed", "new-shop": "passed"}
    assert sorted(estate.sessions()) == ["new-shop#tidy", "old-shop#tidy"]


def test_no_projects_at_all(estate: Estate) -> None:
    """PROJ-5: nothing in the settings is said as such."""
    estate.settings()
    answer = estate.weft("projects", "run", "--yes")
    assert (answer.code, answer.out) == (0, "Nothing ran because: no `[[projects]]` are set\n")
