"""Whether a session may start now: the one place where its agent's limits are looked at."""

from __future__ import annotations

from weft.scheduler.jobrun import JobRun
from weft.scheduler.quota import pick_agent, wait_for_reset
from weft.scheduler.spending import may_spend, settle_session, waiting_for_budget
from weft.scheduler.state import AgentRun
from weft.scheduler.states import JobState
from weft.scheduler.turn import Turn


def may_start(turn: Turn, job: JobRun) -> bool:
    """Whether it may; then it counts. If not, the job waits for what it lacks, or has ended."""
    agent = pick_agent(turn, job)
    if agent is None:
        return may_spend(turn, job)
    if agent.account.closed(turn.at):
        wait_for_reset(turn, job, agent.account, begun=job.step_index > 0)
        return False
    if agent.full:
        job.move(JobState.AGENT_FULL)
        agent.waiting.append(job)
        return False
    if not may_spend(turn, job):
        return False
    agent.used += 1
    agent.account.open += 1
    job.began = turn.at
    return True


def agent_of(turn: Turn, job: JobRun) -> AgentRun | None:
    """Of the session under way."""
    return turn.state.agents.get(job.agent)


def session_over(turn: Turn, job: JobRun) -> list[JobRun]:
    """It no longer counts; answers who may try again to start theirs."""
    settle_session(turn, job)
    agent = agent_of(turn, job)
    if agent is None:
        return waiting_for_budget(turn)
    agent.used -= 1
    agent.account.open -= 1
    sharing = [other for other in turn.state.agents.values() if other.account is agent.account]
    return [*(waiting for other in sharing for waiting in other.next_waiting()), *waiting_for_budget(turn)]
