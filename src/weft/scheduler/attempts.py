"""How an attempt begins: a place to work in, then its first step."""

from __future__ import annotations

from weft.model.commands import RunGates, RunSession, Taken
from weft.model.earlier import Earlier
from weft.model.ids import AttemptId, RunId
from weft.model.phase import StepKind
from weft.model.plan import LockRule
from weft.scheduler.ending import finish
from weft.scheduler.jobrun import JobRun
from weft.scheduler.publishing import begin_publishing, publisher_of
from weft.scheduler.sessions import author_session
from weft.scheduler.slots import order_workspace
from weft.scheduler.spending import reserved_for
from weft.scheduler.starting import may_start
from weft.scheduler.states import JobState
from weft.scheduler.turn import Turn


def prepare(turn: Turn, job: JobRun) -> None:
    """Have its workspace made, or brought back to the last commit that counts; who works in place can begin."""
    job.move(JobState.PREPARING)
    if job.passed is not None and (to := publisher_of(turn, job)):
        begin_publishing(turn, job, to)
    elif not _works_in_place(turn, job):
        order_workspace(turn, job)
    elif job.ending is not None:  # a crash came between the wish to end it and its end
        finish(turn, job, job.ending)
    else:
        begin_attempt(turn, job)


def _works_in_place(turn: Turn, job: JobRun) -> bool:
    """Locks are taken with the workspace."""
    plan = turn.state.plan
    return job.job.branch is None and plan is not None and plan.lock is LockRule.NONE


def begin_attempt(turn: Turn, job: JobRun, cut_short: Earlier | None = None) -> None:
    """A new try at the job's current phase; `cut_short`: in a session that Weft died under."""
    number = job.number + 1
    job.numbers = (*job.numbers[: job.phase_index], number, *job.numbers[job.phase_index + 1 :])
    job.attempt = AttemptId(turn.state.run, job.key, job.phase.name, number)
    job.step_index = 0
    job.rechecking = False
    job.stop_sent = False
    job.resume = cut_short or author_session(job)
    job.interrupted = cut_short is not None
    begin_step(turn, job)


def begin_step(turn: Turn, job: JobRun) -> None:
    assert job.attempt is not None
    if job.step_kind is StepKind.GATES:
        job.move(JobState.GATES)
        turn.order(RunGates(job.attempt, job.step_index == 0 and not job.rechecking))
        return
    begin_session(turn, job)


def begin_session(turn: Turn, job: JobRun) -> None:
    """Now, or when its agent has room again."""
    if may_start(turn, job):
        job.move(JobState.SESSION)
        turn.order(session_command(turn, job, first=job.step_index == 0))


def session_command(turn: Turn, job: JobRun, *, first: bool) -> RunSession:
    assert job.attempt is not None
    takes = tuple(taken for key in job.job.takes if (taken := _taken(turn.state.run, turn.state.job(key))))
    outputs = tuple(job.outputs.items())
    return RunSession(
        job.attempt,
        first,
        outputs,
        job.findings,
        job.head,
        takes,
        job.continues,
        job.resume if job.agent == job.phase.agent else None,  # another agent knows nothing of that session
        job.interrupted,
        agent=job.agent if job.agent != job.phase.agent else "",
        reserved=reserved_for(turn, job),
        answers=job.answers,
    )


def _taken(run: RunId, job: JobRun) -> Taken | None:
    """The attempt that gave the job's output; None where it never came to one."""
    attempt = AttemptId(run, job.key, job.phase.name, job.number) if job.number else job.job.earlier
    return Taken(attempt, job.status is not None and job.status.done) if attempt else None
