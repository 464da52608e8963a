"""Quotas and bursts: what one session is told holds for all of its account."""

from __future__ import annotations

import msgspec
from tests.unit.scheduler.drive import GOOD, Drive, failed, job, key, plan

from weft.model.events import CancelRequested, CapSet, QuotaSeen
from weft.model.job import JobStatus
from weft.model.phase import FailureClass
from weft.model.plan import AgentKind, AgentSpec
from weft.scheduler.states import JobState
from weft.scheduler.why import why

MINE = AgentSpec("mine", AgentKind.COMMAND, account="acme")
OTHER = AgentSpec("other", AgentKind.COMMAND)
RESET = 1000.0


def drive(count: int, *, cap: int = 99, specs: tuple[AgentSpec, ...] = (MINE,)) -> Drive:
    return Drive(plan(*(job(str(n)) for n in range(1, count + 1)), cap=cap, width=99, agents=specs))


def names(first: int, last: int) -> list[str]:
    return [str(number) for number in range(first, last + 1)]


def used_up(here: Drive, resets_at: float | None = RESET, why: str = "") -> None:
    here.do(QuotaSeen(at=here.now, account="acme", resets_at=resets_at, why=why))


def until(here: Drive, at: float) -> None:
    here.tick(at - here.now)


def test_a_used_up_quota_is_one_event_for_all() -> None:
    """GOV-1: no new session starts on the account; what is under way finishes."""
    here = drive(4, cap=2)
    here.ready("1", "2")
    used_up(here, why="weekly limit")
    assert here.state.effective_cap == 0
    here.session("1")
    here.closed("1")
    assert here.ends == {"1": JobStatus.PASSED}
    assert len(here.sessions) == 2
    assert "the quota of acme is used up: weekly limit" in why(here.state, key("3"))


def test_jobs_wake_one_after_the_other_after_the_reset() -> None:
    """GOV-1: at the reset plus a spread, not all in the same second; nothing has failed, no retry is counted."""
    here = drive(20)
    here.ready(*names(1, 20))
    for name in names(1, 20):
        here.session(name, failed(FailureClass.QUOTA, resets_at=RESET))
    waiting = [here.state.job(key(name)) for name in names(1, 20)]
    assert {one.state for one in waiting} == {JobState.BACKOFF}
    assert here.state.in_flight == 0
    wakes = [one.due or 0.0 for one in waiting]
    assert min(wakes) > RESET
    assert all(sum(int(due) == second for due in wakes) <= 3 for second in range(1000, 1070))
    assert {one.retries for one in waiting} == {0}
    assert not here.ends


def test_a_job_that_waited_goes_on_by_itself() -> None:
    """GOV-1: after the reset it has a new attempt at the same phase, and passes."""
    here = drive(1)
    here.ready("1")
    here.session("1", failed(FailureClass.QUOTA, resets_at=RESET))
    assert "waits with phase work for a reset" in why(here.state, key("1"))
    until(here, RESET)
    until(here, RESET + 2)
    here.run("1")
    assert here.ends == {"1": JobStatus.PASSED}
    assert here.phases == ["work retrying", "work passed"]


def test_a_session_that_cannot_begin_is_no_attempt() -> None:
    """GOV-1: a job that finds its account closed before it began has its first attempt after the reset."""
    here = drive(1)
    used_up(here)
    here.ready("1")
    until(here, RESET)
    until(here, RESET + 2)
    here.run("1")
    assert [one.attempt.number for one in here.sessions] == [1]
    assert here.phases == ["work passed"]


def test_an_unknown_reset_is_guessed_longer_each_time() -> None:
    """GOV-1: five minutes at first, twice as long when it is still used up."""
    here = drive(1)
    here.ready("1")
    here.session("1", failed(FailureClass.QUOTA))
    assert here.state.accounts["acme"].closed_until == here.now + 300
    here.tick(300)
    here.tick(5)
    here.ready("1")
    here.session("1", failed(FailureClass.QUOTA))
    assert here.state.accounts["acme"].closed_until == here.now + 600


def test_a_burst_halves_the_sessions_once_and_time_brings_them_back() -> None:
    """GOV-2: halved at once, never below one, one more after each quiet minute; sessions that had begun before do not
    halve it again.
    """
    here = drive(30, cap=8)
    here.ready(*names(1, 8))
    here.tick(1)
    for name in ("1", "2", "3"):
        here.session(name, failed(FailureClass.RATE_LIMITED))
        here.closed(name)
    account = here.state.accounts["acme"]
    assert account.throttle == 4
    here.ready("9", "10", "11")
    assert account.open == 5
    for name in names(4, 8):
        here.session(name)
        here.closed(name)
    here.ready(*names(12, 16))
    assert account.open == 4
    for minutes, allowed in ((1, 5), (2, 6), (3, 7), (4, None)):
        until(here, account.halved_at + 60 * minutes)
        assert account.throttle == allowed
    assert account.open == 8


def test_a_burst_never_leaves_less_than_one() -> None:
    """GOV-2: the last one may always go on."""
    here = drive(2, cap=1)
    here.ready("1")
    here.session("1", failed(FailureClass.RATE_LIMITED))
    assert here.state.accounts["acme"].throttle == 1


def test_with_a_fallback_the_next_session_starts_on_another_agent() -> None:
    """GOV-3: only where the user said so, never in the middle of a session."""
    here = drive(2, specs=(msgspec.structs.replace(MINE, fallback=("other",)), OTHER))
    here.ready("1")
    used_up(here)
    here.ready("2")
    assert [(one.attempt.job.id, one.agent) for one in here.sessions] == [("1", ""), ("2", "other")]
    assert (here.state.agents["mine"].used, here.state.agents["other"].used) == (1, 1)
    here.session("2")
    here.session("1")
    assert (here.state.agents["mine"].used, here.state.agents["other"].used) == (0, 0)


def test_where_all_are_closed_the_one_that_opens_first_is_waited_for() -> None:
    """GOV-3: a job does not wait days for its own agent while another that the user named opens in an hour."""
    mine = msgspec.structs.replace(MINE, fallback=("other",))
    here = drive(1, specs=(mine, OTHER))
    here.ready("1")
    here.do(QuotaSeen(at=here.now, account="other", resets_at=RESET / 2, why=""))
    here.session("1", failed(FailureClass.QUOTA, resets_at=RESET))
    due = here.state.job(key("1")).due
    assert due is not None
    assert RESET / 2 < due < RESET / 2 + 5
    until(here, due)
    here.ready("1")
    assert here.sessions[-1].agent == "other"


def test_agents_of_one_account_are_closed_together() -> None:
    """GOV-1: the quota is the account's, not the agent's."""
    here = drive(1, specs=(MINE, AgentSpec("twin", AgentKind.COMMAND, account="acme")))
    used_up(here)
    assert here.state.effective_cap == 0


def test_news_of_a_reset_that_has_passed_closes_nothing() -> None:
    """GOV-1: what another process was told is of no interest by then."""
    here = drive(1)
    used_up(here, resets_at=here.now - 1)
    assert here.state.effective_cap > 0


def test_a_session_that_ends_after_its_reset_fails_nothing() -> None:
    """GOV-1: a session that tries in vain until the reset has come, or whose provider's clock is another, costs no job
    its run: it goes on soon, and later each time that it is told the same.
    """
    here = drive(1)
    waits = []
    for _ in range(3):
        here.ready("1")
        here.session("1", failed(FailureClass.QUOTA, resets_at=here.now - 5.0))
        one = here.state.job(key("1"))
        assert one.state is JobState.BACKOFF
        assert one.due is not None
        waits.append(one.due - here.now)
        until(here, one.due)
    assert waits[0] < waits[1] < waits[2] < 10.0
    here.ready("1")
    here.session("1")
    here.closed("1")
    assert here.ends == {"1": JobStatus.PASSED}


def test_a_job_that_waits_for_a_reset_can_be_cancelled() -> None:
    """RUN-14: like any other."""
    here = drive(1)
    here.ready("1")
    here.session("1", failed(FailureClass.QUOTA, resets_at=RESET))
    here.do(CancelRequested(at=here.now, job=key("1")))
    here.closed("1")
    assert here.ends == {"1": JobStatus.CANCELLED}


def test_a_good_session_forgets_how_long_was_guessed() -> None:
    """GOV-1: the next unknown reset is guessed short again."""
    here = drive(1)
    here.ready("1")
    here.session("1", failed(FailureClass.QUOTA))
    here.tick(300)
    here.tick(5)
    here.run("1", GOOD)
    assert here.state.accounts["acme"].closures == 0


def test_jobs_without_a_slot_are_let_in_one_after_the_other_after_the_reset() -> None:
    """GOV-1: twenty jobs that wait for a slot do not all start in the second of the reset."""
    here = drive(21, cap=1)
    used_up(here)
    here.do(CapSet(at=here.now, cap=20))
    assert here.prepared == ["1"]
    until(here, RESET)
    assert len(here.prepared) == 1
    for step in range(1, 19):
        until(here, RESET + 0.5 * step)
        assert len(here.prepared) == 1 + step
    until(here, RESET + 0.5 * 19)
    assert here.state.governor_cap is None
    assert len(here.prepared) == 20
