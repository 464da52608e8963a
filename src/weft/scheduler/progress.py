"""A job's way through its pipeline: attempts, steps, verdicts, the quality loop, retries."""

from __future__ import annotations

from heapq import heappop, heappush

from weft.model.commands import WakeAt
from weft.model.events import (
    GatesEnded,
    PhaseEnded,
    SessionEnded,
    TimerFired,
    WorkspaceClosed,
    WorkspaceFailed,
    WorkspaceReady,
)
from weft.model.job import JobStatus
from weft.model.outcome import Failure, PhaseStatus, SessionOutcome
from weft.model.phase import FailureClass, StepKind
from weft.scheduler.admission import admit
from weft.scheduler.attempts import begin_attempt, begin_session, begin_step, prepare
from weft.scheduler.ending import end_now, finish, locked
from weft.scheduler.findings import finding, gates_reason
from weft.scheduler.jobrun import PASSED, Ending, JobRun
from weft.scheduler.merging import enqueue, queue_of
from weft.scheduler.publishing import begin_publishing, publisher_of
from weft.scheduler.quota import burst_seen, clock_struck, pick_agent, ran_out, wait_for_reset
from weft.scheduler.repairs import may_repair_again, phase_failed
from weft.scheduler.sessions import CHECKPOINTS, cut_short, forget_session, never_began, remember_session, stuck
from weft.scheduler.slots import release_slot
from weft.scheduler.spending import over_budget, settle_session
from weft.scheduler.starting import agent_of, session_over
from weft.scheduler.states import JobState
from weft.scheduler.stuck import asks
from weft.scheduler.turn import Turn

NO_VERDICT = "The review ended without a valid verdict, which counts as not approved"


def workspace_ready(turn: Turn, event: WorkspaceReady) -> None:
    job = turn.state.job(event.job)
    if job.state is not JobState.PREPARING:
        return
    job.has_workspace = True
    job.head = event.head
    job.base = event.base
    if job.ending is not None:
        finish(turn, job, job.ending)
    else:
        begin_attempt(turn, job)


def workspace_failed(turn: Turn, event: WorkspaceFailed) -> None:
    job = turn.state.job(event.job)
    if job.state is not JobState.PREPARING:
        return
    job.has_workspace = False
    failed = Ending(JobStatus.FAILED, "Workspace failed", event.reason)
    finish(turn, job, job.ending or (locked(event.locked_by) if event.locked_by else failed))
    admit(turn)


def workspace_closed(turn: Turn, event: WorkspaceClosed) -> None:
    job = turn.state.job(event.job)
    if job.state is not JobState.CLOSING or job.ending is None:
        return
    if event.commit:
        job.head = event.commit
    if event.problem and job.ending.status is JobStatus.PASSED:
        # What could not be put away could not be checked to be whole.
        job.ending = Ending(JobStatus.FAILED, "Workspace could not be closed", event.problem)
    end_now(turn, job, job.ending)
    admit(turn)


def gates_ended(turn: Turn, event: GatesEnded) -> None:
    job = turn.state.job(event.attempt.job)
    if job.state is not JobState.GATES or job.attempt != event.attempt:
        return
    failed = [result for result in event.results if not result.passed]
    if job.ending is not None:
        _cancelled(turn, job, job.ending)
    elif event.failure is not None:
        _attempt_failed(turn, job, event.failure)
    elif failed:
        _found_wanting(turn, job, [finding(result) for result in failed], gates_reason(failed))
    elif job.rechecking or job.step_index + 1 == len(job.phase.steps):
        _phase_passed(turn, job)
    else:
        job.step_index += 1
        begin_step(turn, job)
    admit(turn)


def session_ended(turn: Turn, event: SessionEnded) -> None:
    job = turn.state.job(event.attempt.job)
    if job.state is not JobState.SESSION or job.attempt != event.attempt:
        return
    outcome = event.outcome
    burst_seen(turn, job, agent_of(turn, job), outcome.failure)
    settle_session(turn, job, outcome)
    free_session(turn, job)
    if outcome.commit is not None:
        job.head = outcome.commit
    if job.ending is not None:
        _cancelled(turn, job, job.ending)
    elif outcome.failure is not None:
        _session_failed(turn, job, outcome, outcome.failure)
    else:
        _session_succeeded(turn, job, outcome)
    admit(turn)


def free_session(turn: Turn, job: JobRun) -> None:
    """Its agent has room again: the next one that waited for it goes on."""
    for waiting in session_over(turn, job):
        begin_session(turn, waiting)
    if turn.state.ledger is not None:
        _fill_agents(turn)


def _fill_agents(turn: Turn) -> None:
    """One that was let through by its agent and then had no budget left room for the next."""
    while woken := [job for agent in turn.state.agents.values() for job in agent.next_waiting()]:
        for waiting in woken:
            begin_session(turn, waiting)


def _session_failed(turn: Turn, job: JobRun, outcome: SessionOutcome, failure: Failure) -> None:
    forget_session(job)
    if failure.kind is FailureClass.BUDGET:
        _note_phase(turn, job, PhaseStatus.FAILED, failure.message)
        finish(turn, job, over_budget(job, outcome, failure))
    elif failure.kind is FailureClass.CHECKPOINT:
        _checkpoint(turn, job, outcome, failure)
    elif failure.kind is FailureClass.QUESTION:
        _note_phase(turn, job, PhaseStatus.FAILED, asks(failure).reason)
        finish(turn, job, asks(failure))
    elif never_began(job, failure):
        _note_phase(turn, job, PhaseStatus.RETRYING, f"its session is gone: {failure.message}")
        prepare(turn, job)
    elif ran_out(turn, job, agent_of(turn, job), failure):
        _out_of_quota(turn, job)
    else:
        _attempt_failed(turn, job, failure)


def _out_of_quota(turn: Turn, job: JobRun) -> None:
    """Another agent goes on where the user named one, else the job waits for the reset; no retry is counted."""
    agent = pick_agent(turn, job)
    assert agent is not None
    if agent.account.closed(turn.at):
        wait_for_reset(turn, job, agent.account, begun=True)
    else:
        _note_phase(turn, job, PhaseStatus.RETRYING, f"its quota is used up: {job.agent} goes on")
        prepare(turn, job)


def _checkpoint(turn: Turn, job: JobRun, outcome: SessionOutcome, failure: Failure) -> None:
    """What it left is committed: a fresh session goes on from there, unless that has happened too often."""
    job.checkpoints += 1
    if outcome.commit is not None:
        job.merging = None  # it is part of the commit now
    if job.checkpoints >= CHECKPOINTS:
        _note_phase(turn, job, PhaseStatus.FAILED, failure.message)
        finish(turn, job, stuck(job, failure))
        return
    _note_phase(turn, job, PhaseStatus.CONTINUED, failure.message)
    job.continues = outcome.text
    begin_attempt(turn, job)


def _session_succeeded(turn: Turn, job: JobRun, outcome: SessionOutcome) -> None:
    remember_session(job, outcome)
    job.outputs = {**job.outputs, job.phase.name: outcome.text}
    if outcome.touches:
        turn.state.apart.learn(job, outcome.touches)
    if job.phase.writes:
        job.merging = None  # it is part of the commit now
    if job.phase.verdict and (outcome.verdict is None or not outcome.verdict.approved):
        findings = list(outcome.verdict.findings) if outcome.verdict else [NO_VERDICT]
        _found_wanting(turn, job, findings or ["The review did not approve and named no finding"], "not approved")
    elif job.phase.writes and job.phase.must_change and outcome.empty:
        _note_phase(turn, job, PhaseStatus.PASSED)
        finish(turn, job, Ending(JobStatus.NO_CHANGE, "no change against the base"))
    elif outcome.changed and StepKind.GATES in job.phase.steps:
        # The session came after the gates and changed the tree: what they said no longer holds for it.
        job.rechecking = True
        job.step_index = job.phase.steps.index(StepKind.GATES)
        begin_step(turn, job)
    else:
        _phase_passed(turn, job)


def _phase_passed(turn: Turn, job: JobRun) -> None:
    _note_phase(turn, job, PhaseStatus.PASSED)
    job.retries = 0
    job.findings = ()
    if job.phase_index + 1 == len(job.pipeline.phases):
        _all_passed(turn, job)
        return
    job.phase_index += 1
    begin_attempt(turn, job)


def _all_passed(turn: Turn, job: JobRun) -> None:
    queue = queue_of(turn, job)
    if queue is not None:
        enqueue(turn, job, queue)
    elif to := publisher_of(turn, job):
        begin_publishing(turn, job, to)
    else:
        finish(turn, job, PASSED)


def _found_wanting(turn: Turn, job: JobRun, findings: list[str], reason: str) -> None:
    """The work is not good enough: back to the phase that mends it, or the job fails."""
    _note_phase(turn, job, PhaseStatus.FAILED, reason)
    target = _mending_phase(job)
    if target is None:
        finish(turn, job, phase_failed(job, "\n".join([reason, *findings])))
        return
    job.loops += 1
    job.retries = 0
    job.findings = tuple(findings)
    job.phase_index = target
    begin_attempt(turn, job)


def _mending_phase(job: JobRun) -> int | None:
    if job.phase.mends is None or job.loops >= job.pipeline.quality_loop:
        return None
    names = [phase.name for phase in job.pipeline.phases]
    return names.index(job.phase.mends) if job.phase.mends in names else None


def _attempt_failed(turn: Turn, job: JobRun, failure: Failure) -> None:
    if failure.kind is FailureClass.LOST and job.may_be_lost_again():
        lose_attempt(turn, job, failure.message)
        return
    policy = job.phase.retry
    if failure.kind in policy.classes and job.retries < policy.times:
        _back_off(turn, job, failure, policy.delay(job.retries))
        return
    _note_phase(turn, job, PhaseStatus.FAILED, failure.message)
    if may_repair_again(turn, job, failure):
        prepare(turn, job)
    else:
        finish(turn, job, phase_failed(job, failure.message))


def _back_off(turn: Turn, job: JobRun, failure: Failure, delay: float) -> None:
    job.retries += 1
    job.due = max(turn.at + delay, failure.resets_at or 0.0)
    _note_phase(turn, job, PhaseStatus.RETRYING, failure.message, job.due)
    job.move(JobState.BACKOFF)
    release_slot(turn, job)
    heappush(turn.state.timers, (job.due, job.key))
    turn.order(WakeAt(job.due))


def timer_fired(turn: Turn, event: TimerFired) -> None:
    timers = turn.state.timers
    while timers and timers[0][0] <= turn.at:
        due, key = heappop(timers)
        job = turn.state.job(key)
        if job.state is JobState.BACKOFF and job.due == due:
            job.due = None
            job.move(JobState.RETURNING)
            turn.state.queue.push_returning(job)
    for woken in clock_struck(turn):
        begin_session(turn, woken)
    admit(turn)


def _cancelled(turn: Turn, job: JobRun, ending: Ending) -> None:
    _note_phase(turn, job, PhaseStatus.CANCELLED, ending.reason)
    finish(turn, job, ending)


def lose_attempt(turn: Turn, job: JobRun, why: str = "Weft was interrupted") -> None:
    """The process that had it is gone: bring the workspace back, then a new attempt at the same phase."""
    forget_session(job)
    _note_phase(turn, job, PhaseStatus.LOST, why)
    prepare(turn, job)


def go_on(turn: Turn, job: JobRun, session_id: str) -> None:
    """The process is gone, but its agent can go on in the session, in the workspace as it is."""
    session = cut_short(job, session_id)
    forget_session(job)
    _note_phase(turn, job, PhaseStatus.LOST, "Weft was interrupted; its session goes on")
    begin_attempt(turn, job, session)


def _note_phase(
    turn: Turn, job: JobRun, status: PhaseStatus, reason: str | None = None, retry_at: float | None = None
) -> None:
    assert job.attempt is not None
    turn.note(PhaseEnded(at=turn.at, attempt=job.attempt, status=status, reason=reason, retry_at=retry_at))
