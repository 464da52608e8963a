"""Budgets bind for task files, too (BUDGET-2)."""

from __future__ import annotations

from tests.support.task_folder import TaskFolder


def test_what_no_budget_is_left_for(folder: TaskFolder) -> None:
    """Exit 4 when nothing else failed; the task says why it was not run."""
    folder.settings("[budget]\nrun_sessions = 2\n[parallel]\nmax_workers = 1\n")
    tasks = folder.tasks("echo 1", "echo 2", "echo 3")
    answer = folder.weft("parallel", "--json", "--file", tasks)
    assert answer.code == 4, answer.err
    assert [one["status"] for one in answer.document["results"]] == ["completed", "completed", "cancelled"]
    said = "not run: budget: `budget.run_sessions` is 2 sessions: 2 sessions spent"
    assert answer.document["results"][2]["error"] == said


def test_the_price_of_a_task(folder: TaskFolder) -> None:
    """BUDGET-3: it is said before anything starts that a limit in dollars cannot bind."""
    folder.settings("[budget]\nrun_usd = 1.0\n")
    answer = folder.weft("parallel", "--json", "--file", folder.tasks("echo 1"))
    assert answer.code == 0
    assert "the price of agent `sh` is unknown: `budget.run_usd` cannot bind for it" in answer.err
