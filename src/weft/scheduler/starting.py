"""Whether a session may start now: the one place where its agent's limits are looked at."""

from __future__ import annotations

from weft.scheduler.jobrun import JobRun
from weft.scheduler.state import AgentRun
from weft.scheduler.states import JobState
from weft.scheduler.turn import Turn


def may_start(turn: Turn, job: JobRun) -> bool:
    """Whether it may; then it counts. If not, the job waits for what it lacks, or has ended."""
    agent = agent_of(turn, job)
    if agent is None:
        return True
    if agent.full:
        job.move(JobState.AGENT_FULL)
        agent.waiting.append(job)
        return False
    agent.used += 1
    return True


def agent_of(turn: Turn, job: JobRun) -> AgentRun | None:
    return turn.state.agents.get(job.phase.agent)


def session_over(turn: Turn, job: JobRun) -> list[JobRun]:
    """It no longer counts; answers who may try again to start theirs."""
    agent = agent_of(turn, job)
    if agent is None:
        return []
    agent.used -= 1
    return agent.next_waiting()
