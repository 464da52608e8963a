"""What a budget means for jobs: who waits, who is not run, who is stopped (BUDGET-2)."""

from __future__ import annotations

from tests.unit.scheduler.drive import GOOD, Drive, job, key, plan

from weft.model.budget import Budget, Limit, Scope, Shortage, Unit
from weft.model.commands import StopAttempt
from weft.model.events import CancelRequested, JobEnded, RunResumed, UsageSeen
from weft.model.job import JobStatus
from weft.model.outcome import Failure, SessionOutcome
from weft.model.phase import FailureClass
from weft.model.plan import Plan
from weft.model.usage import NO_USAGE, Usage
from weft.scheduler.states import JobState
from weft.scheduler.why import why


def budgeted(amount: float, unit: Unit = Unit.TOKENS, scope: Scope = Scope.RUN, **more: object) -> Plan:
    limits = (Limit(scope, unit, amount, f"budget.{scope.value}_{unit.value}"),)
    budget = Budget(limits=limits, **more)  # type: ignore[arg-type]
    return plan(job("1"), job("2"), job("3"), budget=budget)


def used(tokens: int) -> Usage:
    return Usage(input_tokens=tokens, sessions=1)


def outcome(tokens: int, failure: Failure | None = None) -> SessionOutcome:
    return SessionOutcome(usage=used(tokens), failure=failure)


def see(drive: Drive, name: str, tokens: int) -> list[StopAttempt]:
    attempt = drive.state.jobs[key(name)].attempt
    assert attempt is not None
    commands = drive.do(UsageSeen(at=drive.now, attempt=attempt, usage=used(tokens)))
    return [command for command in commands if isinstance(command, StopAttempt)]


def end_of(drive: Drive, name: str) -> JobEnded:
    return next(note for note in drive.notes if isinstance(note, JobEnded) and note.job == key(name))


def test_who_does_not_fit_waits_for_those_under_way() -> None:
    """It holds its slot, `why` names the limit, and it starts as soon as there is room."""
    drive = Drive(budgeted(1000, session_tokens=500.0))
    drive.ready("1", "2", "3")
    assert [command.attempt.job.id for command in drive.sessions] == ["1", "2"]
    assert drive.state.jobs[key("3")].state is JobState.BUDGET
    assert why(drive.state, key("3")) == (
        "waits for sessions under way to give back what they do not use: `budget.run_tokens` is 1,000 tokens: "
        "0 tokens spent, 1,000 tokens set aside for sessions under way, a session needs 500 tokens"
    )
    drive.session("1", outcome(10))
    assert drive.state.jobs[key("3")].state is JobState.BUDGET, "490 are left, and another is still under way"
    drive.session("2", outcome(600))
    assert [command.attempt.job.id for command in drive.sessions] == ["1", "2", "3"]
    assert drive.sessions[-1].reserved is not None
    assert drive.sessions[-1].reserved.tokens == 390, "alone it may have less than it wants"


def test_who_can_never_fit_is_not_run() -> None:
    """With the limit, what is spent of it, and what a session needs."""
    drive = Drive(budgeted(1000, session_tokens=500.0))
    drive.run("1", outcome(950))
    drive.ready("2")
    drive.closed("2")
    end = end_of(drive, "2")
    assert (end.status, end.reason, end.short_of) == (JobStatus.NOT_RUN, "budget", Shortage.BUDGET)
    assert end.detail == "`budget.run_tokens` is 1,000 tokens: 950 tokens spent, a session needs 500 tokens"


def test_over_its_limit_it_is_stopped_once() -> None:
    """BUDGET-2: the stop says why, and the job ends with it; further news of it change nothing."""
    drive = Drive(budgeted(10_000, session_tokens=100.0))
    drive.ready("1")
    assert see(drive, "1", 99) == []
    (stop,) = see(drive, "1", 150)
    assert stop.failure is not None
    assert stop.failure.kind is FailureClass.BUDGET
    assert see(drive, "1", 160) == []
    drive.session("1", outcome(170, stop.failure))
    drive.closed("1")
    end = end_of(drive, "1")
    assert (end.status, end.short_of) == (JobStatus.FAILED, Shortage.BUDGET)


def test_one_that_succeeds_before_the_stop_reaches_it_has_succeeded() -> None:
    """It was paid for."""
    drive = Drive(budgeted(10_000, session_tokens=100.0))
    drive.ready("1")
    assert see(drive, "1", 150)
    drive.session("1", SessionOutcome(verdict=GOOD.verdict, usage=used(150)))
    drive.closed("1")
    assert drive.ends == {"1": JobStatus.PASSED}


def test_refused_by_all_runs_together() -> None:
    """Another process was faster: the session never began, so the job was not run."""
    drive = Drive(budgeted(1000, scope=Scope.DAY))
    drive.ready("1")
    refused = SessionOutcome(failure=Failure(FailureClass.BUDGET, "all gone"), usage=NO_USAGE)
    drive.session("1", refused)
    drive.closed("1")
    end = end_of(drive, "1")
    assert (end.status, end.detail) == (JobStatus.NOT_RUN, "all gone")


def test_after_a_crash_what_was_heard_counts() -> None:
    """Lost sessions are settled at that, and those that waited begin anew."""
    drive = Drive(budgeted(1000, session_tokens=500.0))
    drive.ready("1", "2", "3")
    see(drive, "1", 400)
    drive.do(RunResumed(at=drive.now))
    ledger = drive.state.ledger
    assert ledger is not None
    assert [(pot.spent, pot.open) for pot in ledger.pots] == [(400.0, 0)]
    assert not ledger.waiting
    drive.ready("1", "2")
    assert [command.attempt.job.id for command in drive.sessions[2:]] == ["1"]


def test_waiting_jobs_can_be_cancelled() -> None:
    """As any that hold a slot."""
    drive = Drive(budgeted(1, Unit.SESSIONS))
    drive.ready("1", "2")
    assert drive.state.jobs[key("2")].state is JobState.BUDGET
    drive.do(CancelRequested(at=drive.now, job=key("2")))
    drive.closed("2")
    drive.session("1", outcome(1))
    assert drive.ends == {"2": JobStatus.CANCELLED}


def test_dependents() -> None:
    """Not parked, which would be a failure: there was no budget for what they build on."""
    made = budgeted(0, Unit.SESSIONS)
    drive = Drive(plan(job("1"), job("2", "1"), budget=made.budget))
    drive.ready("1")
    drive.closed("1")
    end = end_of(drive, "2")
    assert (end.status, end.short_of, end.blocked_by) == (JobStatus.NOT_RUN, Shortage.BUDGET, key("1"))
