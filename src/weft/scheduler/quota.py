"""Quotas and bursts (GOV-1, GOV-2, GOV-3): one session's news holds for all of its account.

A used-up quota closes the account until its reset: no new session starts, those under way finish, jobs that need one
wait without a slot and wake one after the other. A burst of refusals only halves how many sessions may be open; every
quiet minute allows one more.
"""

from __future__ import annotations

from heapq import heappush
from zlib import crc32

from weft.model.commands import WakeAt
from weft.model.events import JobWaits, PhaseEnded, QuotaSeen
from weft.model.gauges import LimitSource
from weft.model.outcome import Failure, PhaseStatus
from weft.model.phase import FailureClass
from weft.scheduler.accounts import Account
from weft.scheduler.jobrun import JobRun
from weft.scheduler.limits import conclude_limit
from weft.scheduler.slots import release_slot
from weft.scheduler.stands import NO_LIMIT, Limit, Returning
from weft.scheduler.state import AgentRun, State
from weft.scheduler.states import JobState
from weft.scheduler.turn import Turn

UNKNOWN_RESET = 300.0
"""Seconds until a quota is tried again whose reset nobody told; doubled each time it is still used up."""
SOON = 1.0
"""The same where the reset is over as the session ends."""
LONGEST_GUESS = 3600.0
GAP = 0.5
"""Seconds between two jobs that wake after a reset."""
LONGEST_SPREAD = 60.0
QUIET = 60.0
"""Seconds without a burst after which one more session may be open."""
BURST = frozenset({FailureClass.RATE_LIMITED})


def quota_seen(turn: Turn, event: QuotaSeen) -> None:
    """A session of this run, or of another Weft process of the user, was told so."""
    account = turn.state.accounts.get(event.account)
    if account is not None:
        close(turn, account, event.resets_at, event.why)


def quota_matters(state: State, event: QuotaSeen) -> bool:
    """Whether it is news: of an account that this run uses, and later than what is known."""
    account = state.accounts.get(event.account)
    if account is None:
        return False
    known = account.closed_until
    return known is None if event.resets_at is None else (known or 0.0) < event.resets_at


def close(turn: Turn, account: Account, resets_at: float | None, why: str) -> None:
    """Until the reset, or for longer each time where that is not known."""
    if resets_at is None:
        if account.closed(turn.at):
            return  # one more session that ran into the same wall
        resets_at = turn.at + min(LONGEST_GUESS, UNKNOWN_RESET * 2**account.closures)
    if resets_at <= turn.at or (account.closed_until or 0.0) >= resets_at:
        return
    account.closures += 1
    account.closed_until, account.why, account.wakes = resets_at, why, 0
    turn.order(WakeAt(resets_at))
    conclude_quota(turn)


def conclude_quota(turn: Turn) -> None:
    """Where no agent of the plan can start a session, nothing new is admitted."""
    closed = [agent.account for agent in turn.state.agents.values()]
    if closed and all(account.closed(turn.at) for account in closed):
        first = min(closed, key=lambda account: account.closed_until or 0.0)
        turn.state.returning = Returning()
        conclude_limit(turn, LimitSource.QUOTA, Limit(0, closed_text(first)))
    elif turn.state.returning is not None:
        _return_slowly(turn, turn.state.returning)


def _return_slowly(turn: Turn, returning: Returning) -> None:
    """After a reset one more job is let in every half second: those that had no slot do not all start at once."""
    state = turn.state
    if turn.at < returning.next_at:
        return
    allowed = returning.allowed + 1
    if allowed >= state.cap:
        state.returning = None
        conclude_limit(turn, LimitSource.QUOTA, NO_LIMIT)
        return
    state.returning = Returning(allowed, turn.at + GAP)
    conclude_limit(turn, LimitSource.QUOTA, Limit(allowed, "a quota came back: one more job every half second"))
    turn.order(WakeAt(turn.at + GAP))


def closed_text(account: Account) -> str:
    said = f": {account.why}" if account.why else ""
    return f"the quota of {account.name} is used up{said}"


def pick_agent(turn: Turn, job: JobRun) -> AgentRun | None:
    """Its phase's own, or, while that is closed, the first open one that the user named in its place; where all are
    closed the one that opens first.
    """
    agents = turn.state.agents
    own = agents.get(job.phase.agent)
    job.agent = job.phase.agent
    if own is None or not own.account.closed(turn.at):
        return own
    others = {name: agents[name] for name in own.fallback if name in agents}
    for name, other in others.items():
        if not other.account.closed(turn.at):
            job.agent = name
            return other
    return min((own, *others.values()), key=lambda agent: agent.account.closed_until or 0.0)


def wait_for_reset(turn: Turn, job: JobRun, account: Account, *, begun: bool) -> None:
    """Without a slot; it keeps its lane and its workspace, and wakes by itself. `begun`: its attempt was announced."""
    assert account.closed_until is not None
    job.due = account.closed_until + _spread(turn.state, job, account)
    if begun:
        _note_wait(turn, job, closed_text(account))
    else:  # it never was made: its number is free again
        index = job.phase_index
        job.numbers = (*job.numbers[:index], job.numbers[index] - 1, *job.numbers[index + 1 :])
        turn.note(JobWaits(at=turn.at, job=job.key, until=job.due, why=closed_text(account)))
    job.move(JobState.BACKOFF)
    release_slot(turn, job)
    heappush(turn.state.timers, (job.due, job.key))
    turn.order(WakeAt(job.due))


def _spread(state: State, job: JobRun, account: Account) -> float:
    """One after the other; and runs of different processes not at the same moments."""
    account.wakes += 1
    jitter = crc32(f"{state.run}/{job.key}".encode()) / 2**32
    return min(LONGEST_SPREAD, GAP * account.wakes) + GAP * jitter


def _note_wait(turn: Turn, job: JobRun, why: str) -> None:
    assert job.attempt is not None
    retrying = PhaseStatus.RETRYING
    turn.note(PhaseEnded(at=turn.at, attempt=job.attempt, status=retrying, reason=why, retry_at=job.due))


def ran_out(turn: Turn, job: JobRun, agent: AgentRun | None, failure: Failure) -> bool:
    """Whether its session ended for want of quota. Where the reset is over by then (it tried in vain for as long, or
    the provider's clock is another) the job goes on soon, and later each time that it does not help.
    """
    if failure.kind is not FailureClass.QUOTA or agent is None:
        return False
    account, resets_at = agent.account, failure.resets_at
    if resets_at is not None and resets_at <= turn.at:
        resets_at = turn.at + min(LONGEST_GUESS, SOON * 2**account.closures)
    close(turn, account, resets_at, failure.message)
    return account.closed(turn.at)


def burst_seen(turn: Turn, job: JobRun, agent: AgentRun | None, failure: Failure | None) -> None:
    """Halve at once; refusals of sessions that had begun before the last halving are part of the same burst."""
    if agent is None:
        return
    account = agent.account
    if failure is None:
        account.closures = 0
    elif failure.kind in BURST and job.began >= account.halved_at:
        account.throttle = max(1, account.open // 2)
        account.halved_at = turn.at
        account.quiet_at = turn.at + QUIET
        turn.order(WakeAt(account.quiet_at))


def clock_struck(turn: Turn) -> list[JobRun]:
    """What time alone brings back: accounts open again, one more session after a quiet time. Answers who may start."""
    woken: list[JobRun] = []
    for account in turn.state.accounts.values():
        if account.closed_until is not None and account.closed_until <= turn.at:
            account.closed_until = None
        if account.quiet_at is not None and account.quiet_at <= turn.at:
            woken += _widen(turn, account)
    conclude_quota(turn)
    return woken


def _widen(turn: Turn, account: Account) -> list[JobRun]:
    assert account.throttle is not None
    account.throttle += 1
    account.quiet_at = turn.at + QUIET
    if account.throttle >= turn.state.cap:
        account.throttle = account.quiet_at = None
    else:
        turn.order(WakeAt(account.quiet_at))
    agents = [agent for agent in turn.state.agents.values() if agent.account is account]
    return [job for agent in agents for job in agent.next_waiting()]


def wake_again(turn: Turn) -> None:
    """After a crash: the timers died with the process."""
    if turn.state.returning is not None:
        turn.order(WakeAt(turn.state.returning.next_at))
    for account in turn.state.accounts.values():
        for due in (account.closed_until, account.quiet_at):
            if due is not None:
                turn.order(WakeAt(due))
