"""The ledger's say in a run: who may start, who must stop, who goes on when something was given back."""

from __future__ import annotations

from weft.model.budget import Amounts, Shortage
from weft.model.commands import StopAttempt
from weft.model.events import PhaseEnded, UsageSeen
from weft.model.ids import AttemptId
from weft.model.job import JobStatus
from weft.model.outcome import Failure, PhaseStatus, SessionOutcome
from weft.model.phase import FailureClass, StepKind
from weft.scheduler.ending import finish
from weft.scheduler.jobrun import Ending, JobRun
from weft.scheduler.ledger import Asked
from weft.scheduler.state import State
from weft.scheduler.states import JobState
from weft.scheduler.turn import Turn


def may_spend(turn: Turn, job: JobRun) -> bool:
    """Whether what its session needs could be set aside; if not, the job waits for it, or has ended."""
    ledger = turn.state.ledger
    if ledger is None:
        return True
    assert job.attempt is not None
    answer = ledger.reserve(Asked(job.attempt, job.agent), turn.at)
    if isinstance(answer, Amounts):
        return True
    if answer.for_good:
        _leave_phase(turn, job)
        finish(turn, job, not_run(answer.text))
    else:
        job.move(JobState.BUDGET)
        ledger.waiting.append(job)
    return False


def _leave_phase(turn: Turn, job: JobRun) -> None:
    """Its gates ran, so the attempt was announced; one that begins with its session never was."""
    assert job.attempt is not None
    if job.step_index:
        why = Shortage.BUDGET.value
        turn.note(PhaseEnded(at=turn.at, attempt=job.attempt, status=PhaseStatus.CANCELLED, reason=why))


def no_budget(turn: Turn, job: JobRun) -> str | None:
    """Why a job that has not begun need not begin: no workspace is made for a session that could never start."""
    ledger = turn.state.ledger
    if ledger is None or job.state is not JobState.READY:
        return None
    asked = Asked(AttemptId(turn.state.run, job.key, job.phase.name, 0), job.phase.agent)
    ledger.turn_over(turn.at)
    refused = ledger.refused(asked) if StepKind.SESSION in job.phase.steps else None
    return refused.text if refused is not None and refused.for_good else None


def reserved_for(turn: Turn, job: JobRun) -> Amounts | None:
    """What is set aside for the session that it starts."""
    ledger = turn.state.ledger
    held = ledger.open.get(job.attempt) if ledger is not None and job.attempt is not None else None
    return held.reserved if held is not None else None


def not_run(why: str) -> Ending:
    return Ending(JobStatus.NOT_RUN, Shortage.BUDGET.value, why, Shortage.BUDGET)


def settle_session(turn: Turn, job: JobRun, outcome: SessionOutcome | None = None) -> None:
    """It is over; without an outcome what was heard of it counts."""
    ledger = turn.state.ledger
    if ledger is not None and job.attempt is not None:
        ledger.settle(job.attempt, outcome.usage if outcome is not None else None)


def waiting_for_budget(turn: Turn) -> list[JobRun]:
    """Something was given back: each that waits tries once more, in the order in which they came."""
    ledger = turn.state.ledger
    if ledger is None:
        return []
    waiting = [job for job in ledger.waiting if job.state is JobState.BUDGET]
    ledger.waiting.clear()
    return waiting


def usage_seen(turn: Turn, event: UsageSeen) -> None:
    """Stop what is over a limit (BUDGET-2); what it has done is kept."""
    ledger = turn.state.ledger
    if ledger is None:
        return
    ledger.hear_of_others(event.elsewhere, turn.at)
    ledger.see(event.attempt, event.usage)
    for attempt, why in ledger.over(event.attempt).items():
        job = turn.state.job(attempt.job)
        if job.state is JobState.SESSION and job.attempt == attempt and not job.stop_sent:
            job.stop_sent = True
            turn.order(StopAttempt(attempt, Failure(FailureClass.BUDGET, why)))


def over_budget(job: JobRun, outcome: SessionOutcome, failure: Failure) -> Ending:
    """One that never began was not run; one that was stopped has failed."""
    if not outcome.usage.sessions:
        return not_run(failure.message)
    said = f"phase {job.phase.name}: {failure.message}"
    return Ending(JobStatus.FAILED, Shortage.BUDGET.value, said, Shortage.BUDGET)


def why_waiting(state: State, job: JobRun) -> str:
    """Which limit it waits for."""
    assert state.ledger is not None
    assert job.attempt is not None
    refused = state.ledger.refused(Asked(job.attempt, job.agent))
    told = f": {refused.text}" if refused else ""
    return f"waits for sessions under way to give back what they do not use{told}"
