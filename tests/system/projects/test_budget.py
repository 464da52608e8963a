"""What a run over projects may take of a day (BUDGET-4)."""

from __future__ import annotations

from tests.support.estate import Estate

DAY = "[budget]\nday_usd = 10.0\nsession_usd = 4.0\n"


def test_a_share_of_the_day(estate: Estate) -> None:
    """At most `max_percent` of what is left of the day's allowance, less `reserve_percent` of all of it: with 50 and 10
    a run has 4 of 10 dollars, and the next one, after those 4, 2 more. Finding no budget is no failure.
    """
    estate.projects("a", "b", tasks=("tidy", "polish"))
    estate.settings(f"{DAY}max_percent = 50\nreserve_percent = 10\n[phases.qa]\n")
    first = estate.run()
    assert first.code == 4, first.err
    assert len(estate.ledger()) // 2 == 1
    refused = [job["reason"] for job in first.document["jobs"] if job["reason"]]
    said = "budget: `budget.max_percent of the day's usd` is $4.00: $4.00 spent, a session needs $4.00"
    assert said in refused
    again = estate.run("--again")
    assert len(estate.ledger()) // 2 == 2
    assert any("is $2.00: $2.00 spent" in str(job["reason"]) for job in again.document["jobs"]), again.document


def test_all_of_the_day(estate: Estate) -> None:
    """With 100 and 0 the day's limit alone binds: two sessions of 4 of 10 dollars, and a third with the rest."""
    estate.projects("a", tasks=("tidy", "polish"))
    estate.settings(f"{DAY}max_percent = 100\nreserve_percent = 0\n")
    answer = estate.run()
    assert answer.code == 4, answer.err
    assert len(estate.ledger()) // 2 == 3
