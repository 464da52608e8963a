"""Budgets bind while a run is under way (BUDGET-1, BUDGET-2)."""

from __future__ import annotations

import pytest
from tests.support.shop import Shop

SPENDS = 'printf \'{"type":"usage","input_tokens":%d,"output_tokens":%d,"cost_usd":%s}\\n\' '
WORKS = '; echo "work on $id" > "$id.txt"'


def spends(tokens: int, usd: str = "0.01") -> str:
    return f"{SPENDS}{tokens - 10} 10 {usd}"


def budget(shop: Shop, text: str, run: str = 'phases = ["exec"]') -> None:
    shop.settings(run, more=f'output = "jsonl"\n\n[budget]\n{text}')


def reasons(document: dict) -> dict[str, str | None]:
    return {job["issue"]: job["reason"] for job in document["jobs"]}


def statuses(document: dict) -> dict[str, str]:
    return {job["issue"]: job["status"] for job in document["jobs"]}


def test_what_no_budget_is_left_for_is_not_run(shop: Shop) -> None:
    """BUDGET-2: what is refused is `not run: budget`, exit 4 when nothing else failed; what came before it stands."""
    budget(shop, "run_sessions = 2")
    shop.issues("1", "2", "3")
    shop.does("exec", spends(100) + WORKS)
    answer = shop.run("1", "2", "3")
    assert answer.code == 4
    assert statuses(answer.document) == {"1": "passed", "2": "passed", "3": "not_run"}
    assert reasons(answer.document)["3"] == "budget: `budget.run_sessions` is 2 sessions: 2 sessions spent"
