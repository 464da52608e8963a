"""Budgets bind while a run is under way (BUDGET-1, BUDGET-2, BUDGET-3). Real processes, one user's several."""

from __future__ import annotations

import signal

from tests.support.shop import Shop
from tests.support.waiting import until

from weft.model.events import SessionEnded, UsageSeen
from weft.model.phase import FailureClass

WORK = 'echo "work on $id" > "$id.txt"\n'
FOR_EVER = "sleep 300\n"


def spend(tokens: int, cost: str = "null") -> str:
    """A line that says so."""
    return f'echo \'{{"type":"usage","input_tokens":{tokens},"cost_usd":{cost}}}\'\n'


def budget(shop: Shop, text: str, run: str = "") -> None:
    shop.settings(f'phases = ["exec"]\n{run}', more=f'output = "jsonl"\n\n[budget]\n{text}')


def spent(shop: Shop) -> int:
    """Tokens of all sessions of all runs, as their transcripts told them."""
    ends = [event for run in shop.runs() for event in shop.events(run) if isinstance(event, SessionEnded)]
    return sum(event.outcome.usage.tokens for event in ends)


def test_what_no_budget_is_left_for_is_not_run(shop: Shop) -> None:
    """BUDGET-2: what is refused is `not run: budget`, exit 4 when nothing else failed; what came before it stands."""
    budget(shop, "run_sessions = 2", "concurrency = 1")
    shop.issues("1", "2", "3")
    answer = shop.run("1", "2", "3")
    assert answer.code == 4
    assert answer.statuses == {"1": "passed", "2": "passed", "3": "not_run"}
    assert answer.job("3")["reason"] == "budget: `budget.run_sessions` is 2 sessions: 2 sessions spent"
    summary = shop.weft("report").out
    assert "not run" in summary
    assert "budget" in summary


def test_a_failure_goes_before_a_budget(shop: Shop) -> None:
    """Exit 1 where something else failed; and the failed session counts (BUDGET-3)."""
    budget(shop, "run_sessions = 2", "concurrency = 1\nretry = false")
    shop.issues("1", "2", "3")
    shop.does("exec-1", "exit 1\n")
    answer = shop.run("1", "2", "3")
    assert answer.statuses == {"1": "failed", "2": "passed", "3": "not_run"}
    assert answer.code == 1


def test_retries_count(shop: Shop) -> None:
    """BUDGET-3: two tries are two sessions; the third is refused."""
    shop.settings(
        'phases = ["exec"]\nconcurrency = 1',
        more='output = "jsonl"\n\n[budget]\njob_sessions = 2\n\n'
        '[phases.exec]\nretry = { classes = ["transient"], times = 5, backoff = "0s" }',
    )
    shop.issues("1")
    shop.does("exec", "exit 75\n")
    answer = shop.run("1")
    assert (answer.code, answer.statuses) == (4, {"1": "not_run"})
    assert shop.sessions() == ["1", "1"]


def test_ten_sessions_of_unknown_size(shop: Shop) -> None:
    """BUDGET-1: the overspend is at most what those in flight had reserved. A quarter of the limit is set aside for a
    session that nothing is known of, so four start; when together they are over the limit all are stopped.
    """
    budget(shop, "run_tokens = 1000", "concurrency = 10")
    idents = shop.issues(*map(str, range(1, 11)))
    shop.does("exec", spend(300) + FOR_EVER)
    answer = shop.run(*idents)
    assert answer.code == 4
    assert len(shop.sessions()) == 4
    assert spent(shop) == 1200 <= 1000 + 4 * 250
    assert sorted(answer.statuses.values()) == ["failed"] * 4 + ["not_run"] * 6
    assert all(job["reason"].startswith("budget: ") for job in answer.document["jobs"])
    assert not shop.debris()


def test_a_session_over_its_hard_limit_is_stopped(shop: Shop) -> None:
    """BUDGET-2: its failure is the budget's, it is not tried again, and its work is saved."""
    budget(shop, "session_tokens = 100")
    shop.issues("1", "2")
    shop.does("exec-1", spend(90) + WORK + spend(60) + FOR_EVER)
    answer = shop.run("1", "2")
    assert (answer.code, answer.statuses) == (4, {"1": "failed", "2": "passed"})
    why = "over its limit of 100 tokens (`budget.session_tokens`): 150 tokens used"
    assert answer.job("1")["reason"] == f"budget: phase exec: {why}"
    failures = [event.outcome.failure for event in shop.events() if isinstance(event, SessionEnded)]
    assert [one.kind for one in failures if one] == [FailureClass.BUDGET]
    saved = shop.repo.git("for-each-ref", "--format=%(refname)", "refs/weft").split()
    assert any("1.txt" in shop.repo.git("ls-tree", "--name-only", ref) for ref in saved)


def test_dependents_of_what_was_not_run(shop: Shop) -> None:
    """Neither has failed: exit 4."""
    budget(shop, "run_sessions = 1", "concurrency = 1")
    shop.issue("1", front="priority: 1")
    shop.issue("2")
    shop.issue("3", front="depends_on: [2]")
    shop.repo.commit("issues")
    answer = shop.run("1", "2", "3")
    assert (answer.code, answer.statuses) == (4, {"1": "passed", "2": "not_run", "3": "not_run"})
    assert answer.job("3")["reason"] == "budget: it depends on shop#2, which ended for want of it"


def test_one_after_the_other(shop: Shop) -> None:
    """The first that ends for want of a budget stops those behind it, and that is no failure."""
    budget(shop, "job_tokens = 50\nsession_tokens = 50", "sequential = true")
    shop.issues("1", "2")
    shop.does("exec-1", spend(60) + FOR_EVER)
    answer = shop.run("1", "2")
    assert (answer.code, answer.statuses) == (4, {"1": "failed", "2": "not_run"})
    assert answer.job("2")["reason"] == "budget: stopped after shop#1 failed"


def test_a_day_is_for_all_runs(shop: Shop) -> None:
    """BUDGET-1: what an earlier run spent today is gone."""
    budget(shop, "day_sessions = 2", "concurrency = 1")
    shop.issues("1", "2", "3")
    assert shop.run("1", "2").code == 0
    again = shop.run("3")
    assert (again.code, again.statuses) == (4, {"3": "not_run"})
    assert "`budget.day_sessions` is 2 sessions: 2 sessions spent" in again.job("3")["reason"]


def test_two_processes_at_once(shop: Shop) -> None:
    """BUDGET-1: with one day limit two processes never exceed it by more than reserved; here every session uses exactly
    what was set aside for it, so that they use all of it and no more.
    """
    budget(shop, "day_tokens = 1000\nsession_tokens = 200", "concurrency = 4")
    idents = shop.issues(*map(str, range(1, 9)))
    shop.does("exec", spend(200) + WORK)
    both = [shop.start("run", *some, "--json") for some in (idents[:4], idents[4:])]
    answers = [started.wait() for started in both]
    assert {answer.code for answer in answers} <= {0, 4}
    assert spent(shop) == 1000
    statuses = [status for answer in answers for status in answer.statuses.values()]
    assert sorted(statuses) == ["not_run"] * 3 + ["passed"] * 5


def test_one_process_stops_for_what_another_spends(shop: Shop) -> None:
    """BUDGET-2: usage of sessions under way in other processes counts, too."""
    budget(shop, "day_tokens = 1000", "concurrency = 1")
    shop.issues("1", "2")
    shop.does("exec-1", spend(700) + "hold one\n" + WORK)
    shop.does("exec-2", spend(10) + "hold two\n" + spend(400) + FOR_EVER)
    first = shop.start("run", "1", "--json")
    until(shop.reached("one"))
    until(shop.has_event(UsageSeen))
    second = shop.start("run", "2", "--json")
    until(shop.reached("two"))
    shop.go("two")
    stopped = second.wait()
    assert (stopped.code, stopped.statuses) == (4, {"2": "failed"})
    assert "`budget.day_tokens` is 1,000 tokens: 700 tokens spent" in stopped.job("2")["reason"]
    shop.go("one")
    assert first.wait().code == 0


def test_limits_of_an_agent(shop: Shop) -> None:
    """BUDGET-1: per backend, under `[agents.NAME.budget]`."""
    shop.settings('phases = ["exec"]\nconcurrency = 1', more='output = "jsonl"\nbudget = { run_sessions = 1 }\n')
    shop.issues("1", "2")
    answer = shop.run("1", "2")
    assert (answer.code, answer.statuses) == (4, {"1": "passed", "2": "not_run"})
    assert "`agents.mine.budget.run_sessions`" in answer.job("2")["reason"]


def test_a_price_that_nobody_tells(shop: Shop) -> None:
    """BUDGET-3: a limit in dollars that cannot bind is warned of; with `session_usd` it binds, and the cost stays
    unknown.
    """
    shop.settings('phases = ["exec"]', more="\n[budget]\nrun_usd = 1.0")
    shop.issues("1", "2", "3")
    said = "warning: the price of agent `mine` is unknown: `budget.run_usd` cannot bind for it"
    answer = shop.run("1")
    assert answer.code == 0
    assert any(line.startswith(said) for line in answer.lines)
    shop.settings('phases = ["exec"]\nconcurrency = 1', more="\n[budget]\nrun_usd = 1.0\nsession_usd = 1.0")
    answer = shop.run("2", "3")
    assert (answer.code, answer.statuses) == (4, {"2": "passed", "3": "not_run"})
    assert answer.job("2")["usage"]["cost_usd"] is None
    assert said not in answer.err


def test_after_a_crash(shop: Shop) -> None:
    """What was heard of a session that Weft died under was paid for: it counts in the recovered run and its report."""
    budget(shop, "run_tokens = 1000\nsession_tokens = 600")
    shop.issues("1")
    shop.does("exec-1-1", spend(500) + "hold one\n")
    shop.does("exec-1-2", spend(600) + FOR_EVER)
    started = shop.start("run", "1")
    until(shop.has_event(UsageSeen))
    started.send(signal.SIGKILL)
    started.wait()
    answer = shop.weft("recover", "--json")
    assert answer.code == 4, answer.err
    said = "`budget.run_tokens` is 1,000 tokens: 500 tokens spent, 600 tokens used by sessions under way"
    assert answer.job("1")["reason"] == f"budget: phase exec: over the limit: {said}"
    assert answer.job("1")["usage"]["input_tokens"] == 1100
    assert answer.job("1")["usage"]["sessions"] == 2


def test_what_it_cost(shop: Shop) -> None:
    """BUDGET-5: by job, backend, model and day; every sum equals what the transcripts told."""
    shop.settings('phases = ["spec", "exec"]', more='output = "jsonl"\nmodel = "small"')
    shop.issues("1", "2")
    shop.does("spec", spend(10, "0.25"))
    shop.does("exec-1", spend(100, "0.5") + spend(20, "0.125") + WORK)
    shop.does("exec-2", spend(7) + WORK)
    assert shop.run("1", "2").code == 0
    found = shop.weft("report", "--cost", "--json").document
    total: dict[str, object] = {"input_tokens": 147, "output_tokens": 0, "cached_tokens": 0, "sessions": 4}
    total |= {"cost_usd": None, "known_usd": 1.125, "unknown_sessions": 1}
    assert found["total"] == total
    assert found["backends"] == [{"backend": "mine"} | total]
    assert found["models"] == [{"model": "small"} | total]
    (day,) = found["days"]
    assert {name: day[name] for name in total} == total
    by_job = {row["job"]: (row["input_tokens"], row["cost_usd"], row["known_usd"]) for row in found["jobs"]}
    assert by_job == {"shop#1": (130, 0.875, 0.875), "shop#2": (17, None, 0.25)}
    said = shop.weft("report", shop.runs()[0], "--cost").out
    assert "$1.12 and 1 session of unknown cost" in said
    assert shop.weft("report", "--cost", "--since", "1h", "--json").document["total"] == total
