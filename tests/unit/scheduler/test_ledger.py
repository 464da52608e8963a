"""The ledger by itself: what is set aside, what is settled, who is stopped (BUDGET-1, BUDGET-2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.model.budget import Amounts, Budget, Estimate, Limit, Scope, Unit
from weft.model.ids import AttemptId, JobKey, RunId
from weft.model.usage import NO_USAGE, Usage
from weft.scheduler.ledger import Asked, Ledger, Refused

AT = 100.0


def limit(amount: float, unit: Unit = Unit.TOKENS, scope: Scope = Scope.RUN, **more: object) -> Limit:
    return Limit(scope, unit, amount, f"budget.{scope.value}_{unit.value}", **more)  # type: ignore[arg-type]


def ledger(*limits: Limit, **more: object) -> Ledger:
    return Ledger(Budget(limits=limits, **more))  # type: ignore[arg-type]


def ask(number: int, job: str = "1", agent: str = "mine") -> Asked:
    return Asked(AttemptId(RunId("r-1"), JobKey("shop", job), "exec", number), agent)


def used(tokens: int, usd: float | None = None, sessions: int = 1) -> Usage:
    return Usage(input_tokens=tokens, cost_usd=usd, sessions=sessions)


def tokens(answer: Amounts | Refused) -> float | None:
    return answer.tokens if isinstance(answer, Amounts) else None


def test_a_share_of_the_smallest_limit_where_nothing_is_known() -> None:
    """A quarter of it is set aside: of unknown sessions four go at once."""
    book = ledger(limit(1000), limit(4000, scope=Scope.DAY))
    given_ = [book.reserve(ask(number), AT) for number in range(5)]
    assert [tokens(one) for one in given_] == [250, 250, 250, 250, None]
    assert given_[4] == Refused(
        "`budget.run_tokens` is 1,000 tokens: 0 tokens spent, 1,000 tokens set aside for sessions under way, "
        "a session needs 250 tokens",
        for_good=False,
    )


def test_as_earlier_sessions_of_its_kind() -> None:
    """Of the same agent in the same phase; this run's own count too once there are any."""
    book = ledger(limit(10_000), estimates=(Estimate("mine", "exec", 300.0), Estimate("other", "exec", 9.0)))
    assert tokens(book.reserve(ask(1), AT)) == 300
    book.settle(ask(1).attempt, used(700))
    assert tokens(book.reserve(ask(2), AT)) == 700


def test_what_is_not_used_comes_free() -> None:
    """BUDGET-1: settled when it ends, at what it came to."""
    book = ledger(limit(1000), session_tokens=1000.0)
    assert tokens(book.reserve(ask(1), AT)) == 1000
    assert isinstance(book.reserve(ask(2), AT), Refused)
    book.settle(ask(1).attempt, used(100))
    assert tokens(book.reserve(ask(2), AT)) == 900, "the last one may have less than it wants"


def test_the_rest_is_used_but_not_the_dregs() -> None:
    """With less than a quarter of what a session needs it is not started, and no other could change that."""
    book = ledger(limit(1000), session_tokens=500.0)
    book.reserve(ask(1), AT)
    book.settle(ask(1).attempt, used(900))
    refused = book.reserve(ask(2), AT)
    assert refused == Refused(
        "`budget.run_tokens` is 1,000 tokens: 900 tokens spent, a session needs 500 tokens", for_good=True
    )


def test_no_hope_is_told_at_once() -> None:
    """One that would not fit either if all under way gave everything back does not wait for them."""
    book = ledger(limit(1000), estimates=(Estimate("big", "exec", 8000.0),))
    book.reserve(ask(1), AT)
    refused = book.reserve(ask(2, agent="big"), AT)
    assert isinstance(refused, Refused)
    assert refused.for_good


def test_sessions_count_as_they_are() -> None:
    """A session that never began gives its place back; one that failed does not (BUDGET-3)."""
    book = ledger(limit(1, Unit.SESSIONS))
    assert isinstance(book.reserve(ask(1), AT), Amounts)
    book.settle(ask(1).attempt, NO_USAGE)
    assert isinstance(book.reserve(ask(2), AT), Amounts)
    book.settle(ask(2).attempt, used(0))
    assert isinstance(book.reserve(ask(3), AT), Refused)


def test_limits_of_a_job() -> None:
    """Each job has its own; all attempts of it count."""
    book = ledger(limit(2, Unit.SESSIONS, Scope.JOB))
    for number in (1, 2):
        assert isinstance(book.reserve(ask(number), AT), Amounts)
        book.settle(ask(number).attempt, used(1))
    assert isinstance(book.reserve(ask(3), AT), Refused)
    assert isinstance(book.reserve(ask(1, job="2"), AT), Amounts)


def test_limits_of_an_agent() -> None:
    """They bind for its sessions alone."""
    book = ledger(limit(1, Unit.SESSIONS, agent="dear"))
    assert isinstance(book.reserve(ask(1, agent="dear"), AT), Amounts)
    assert isinstance(book.reserve(ask(2, agent="dear"), AT), Refused)
    assert isinstance(book.reserve(ask(3, agent="cheap"), AT), Amounts)


def test_what_other_runs_spent_before_counts() -> None:
    """BUDGET-1: a day is for all runs; the next one begins anew."""
    book = ledger(limit(1000, scope=Scope.DAY, before=950.0, begins=(0.0, 200.0)))
    assert isinstance(book.reserve(ask(1), AT), Refused)
    assert tokens(book.reserve(ask(1), 200.0)) == 250


def test_over_its_own_limit() -> None:
    """BUDGET-2: only where the user set it; an estimate is no limit."""
    book = ledger(limit(10_000), session_tokens=100.0)
    book.reserve(ask(1), AT)
    book.see(ask(1).attempt, used(100))
    assert book.over(ask(1).attempt) == {}
    book.see(ask(1).attempt, used(101))
    why = "over its limit of 100 tokens (`budget.session_tokens`): 101 tokens used"
    assert book.over(ask(1).attempt) == {ask(1).attempt: why}


def test_over_a_shared_limit_all_under_way_stop() -> None:
    """BUDGET-2: what all have used so far counts together, whoever was heard of last."""
    book = ledger(limit(1000), limit(5, Unit.SESSIONS, agent="dear"))
    for number in (1, 2):
        book.reserve(ask(number), AT)
    book.see(ask(1).attempt, used(600))
    assert book.over(ask(1).attempt) == {}
    book.see(ask(2).attempt, used(401))
    assert set(book.over(ask(2).attempt)) == {ask(1).attempt, ask(2).attempt}
    assert isinstance(book.reserve(ask(3), AT), Refused)


def test_what_other_processes_spend_meanwhile() -> None:
    """A day's limit is reached by all processes together."""
    book = ledger(limit(1000, scope=Scope.DAY))
    book.reserve(ask(1), AT)
    book.hear_of_others((("budget.day_tokens", 995.0),), AT)
    book.see(ask(1).attempt, used(10))
    assert set(book.over(ask(1).attempt)) == {ask(1).attempt}


def test_lost_sessions_are_settled_at_what_was_seen() -> None:
    """After a crash nobody can say what they used beyond that; settling twice changes nothing."""
    book = ledger(limit(1000), session_tokens=500.0)
    book.reserve(ask(1), AT)
    book.see(ask(1).attempt, used(123))
    for _ in range(2):
        book.settle(ask(1).attempt, None)
    assert [(pot.spent, pot.held, pot.open) for pot in book.pots] == [(123.0, 0.0, 0)]


def test_unknown_cost_is_never_nothing() -> None:
    """BUDGET-3: without `session_usd` a price that nobody tells cannot bind; with it each session counts as so much."""
    free = ledger(limit(1.0, Unit.USD), unpriced=("mine",))
    for number in range(9):
        assert isinstance(free.reserve(ask(number), AT), Amounts)
        free.settle(ask(number).attempt, used(10))
    bound = ledger(limit(1.0, Unit.USD), unpriced=("mine",), session_usd=0.5)
    for number in range(2):
        assert isinstance(bound.reserve(ask(number), AT), Amounts)
        bound.settle(ask(number).attempt, used(10))
    assert isinstance(bound.reserve(ask(3), AT), Refused)


def test_a_cost_that_was_not_told_counts_as_set_aside() -> None:
    """A session that was killed before it said what it cost."""
    book = ledger(limit(1.0, Unit.USD), estimates=(Estimate("mine", "exec", None, 0.4),))
    book.reserve(ask(1), AT)
    book.settle(ask(1).attempt, used(10))
    assert book.pots[0].spent == pytest.approx(0.4)


sizes = st.integers(0, 400)
reports = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 60), st.booleans()), max_size=120)


@given(reports=reports, amount=st.integers(1, 1200), known=st.sampled_from([None, 60.0, 200.0]))
def test_never_over_by_more_than_was_set_aside(
    reports: list[tuple[int, int, bool]], amount: int, known: float | None
) -> None:
    """BUDGET-1: ten sessions of unknown size in parallel, each reporting as it goes, stopped when the ledger says so:
    the overspend is at most what those in flight had reserved, as long as no single report is larger than that.
    """
    book = ledger(limit(amount), estimates=(Estimate("mine", "exec", known),) if known else ())
    running: dict[int, tuple[Asked, int]] = {}
    total = most_reserved = 0
    for count, (lane, more, ends) in enumerate(reports):
        if lane not in running:
            asked = ask(count)
            if isinstance(book.reserve(asked, AT), Amounts):
                running[lane] = (asked, 0)
            continue
        asked, so_far = running[lane]
        reserved = book.open[asked.attempt].reserved.tokens
        so_far += min(more, int(reserved))
        total += min(more, int(reserved))
        running[lane] = (asked, so_far)
        most_reserved = max(most_reserved, sum(int(held.reserved.tokens) for held in book.open.values()))
        book.see(asked.attempt, used(so_far))
        over = book.over(asked.attempt)
        if ends or over:
            for one, (other, spent) in list(running.items()):
                if other.attempt in over or one == lane:
                    book.settle(other.attempt, used(spent))
                    del running[one]
    assert total <= amount + most_reserved
    assert book.pots[0].spent + sum(spent for _, spent in running.values()) == total
