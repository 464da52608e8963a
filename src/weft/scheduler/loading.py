"""A plan becomes a state."""

from __future__ import annotations

from weft.errors import DefectError
from weft.model.events import RunStarted
from weft.model.job import JobStatus
from weft.model.plan import Order, Plan, StopRule
from weft.scheduler.accounts import Account
from weft.scheduler.admission import admit
from weft.scheduler.ending import end_now, end_run_if_done, unmet
from weft.scheduler.graph import Graph
from weft.scheduler.handoffs import HandoffRun
from weft.scheduler.jobrun import Ending, JobRun
from weft.scheduler.lanes import LaneRun
from weft.scheduler.ledger import Ledger
from weft.scheduler.locking import ask_lock
from weft.scheduler.merge_queue import MergeQueue
from weft.scheduler.readings import apply_readings
from weft.scheduler.slots import make_ready
from weft.scheduler.state import AgentRun, State
from weft.scheduler.states import JobState
from weft.scheduler.turn import Turn


def start_run(turn: Turn, event: RunStarted) -> None:
    state = turn.state
    if state.plan is not None:
        raise DefectError(f"run {state.run} is started twice")
    load(state, event.plan)
    apply_readings(turn, event.readings)
    for job in state.jobs.values():
        _place(turn, job)
    end_run_if_done(turn)  # a plan may be empty
    admit(turn)


def load(state: State, plan: Plan) -> None:
    state.plan = plan
    state.cap = plan.cap
    state.remaining = len(plan.jobs)
    for agent in plan.agents:
        name = agent.account or agent.name
        account = state.accounts.setdefault(name, Account(name))
        state.agents[agent.name] = AgentRun(agent.max_sessions, account, agent.fallback)
    if plan.budget is not None:
        state.ledger = Ledger(plan.budget)
    pipelines = {pipeline.name: pipeline for pipeline in plan.pipelines}
    widths = {lane.name: lane.width for lane in plan.lanes}
    for job in plan.jobs:
        state.jobs[job.key] = JobRun(job, _lane(state, job.lane, widths.get(job.lane, 1)), pipelines[job.pipeline])
    for repo in plan.repos:
        if repo.merge is not None:
            state.queues[repo.name] = MergeQueue(repo.name, repo.merge)
            if repo.publish is not None:
                left = sum(job.key.repo == repo.name for job in plan.jobs)
                state.handoffs[repo.name] = HandoffRun(repo.name, left)
    _link(state, plan)


def _lane(state: State, name: str, width: int) -> LaneRun:
    lane = state.lanes.get(name)
    if lane is None:
        lane = state.lanes[name] = LaneRun(name, width or state.cap, follows_cap=width == 0)
    return lane


def _link(state: State, plan: Plan) -> None:
    graph = Graph(plan.jobs)
    runs = list(state.jobs.values())
    for run, needs, dependents in zip(runs, graph.needs, graph.dependents, strict=True):
        run.unmet = len(needs)
        if dependents:
            run.dependents = [runs[number] for number in dependents]
    state.queue.jobs = [runs[number] for number in _ranking(plan, graph)]
    for rank, run in enumerate(state.queue.jobs):
        run.rank = rank


def _ranking(plan: Plan, graph: Graph) -> list[int]:
    """Urgent ones first, then those with the longest way to go, else as listed."""
    order = list(range(len(plan.jobs)))
    if plan.order is Order.LONGEST_PATH:
        order.sort(key=graph.lengths().__getitem__, reverse=True)
    order.sort(key=lambda number: plan.jobs[number].priority, reverse=True)
    return order


def _place(turn: Turn, job: JobRun) -> None:
    """Where a job stands before anything has run."""
    if job.status is not None:
        return  # parked already, by a dependency placed before it
    if job.job.finished is not None:
        end_now(turn, job, Ending(JobStatus.SKIPPED, job.job.finished))
    elif job.job.unmet is not None and not _one_by_one(turn):
        end_now(turn, job, unmet(job.job.unmet))
    elif job.state is JobState.WAITING:
        ask_lock(turn, job)
        if not job.unmet:
            make_ready(turn, job)


def _one_by_one(turn: Turn) -> bool:
    """Where one that cannot start stops those behind it, it waits for its turn like any other."""
    plan = turn.state.plan
    return plan is not None and plan.stop in (StopRule.STOP, StopRule.CHAIN)
