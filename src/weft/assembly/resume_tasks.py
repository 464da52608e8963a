"""`--resume RUN`: tasks that succeeded in that run are not run again, the others are (TASK-9)."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from weft.assembly.history import History
from weft.assembly.take_over import take_over
from weft.board.task_results import TaskBoard, TaskResult, TaskStatus
from weft.errors import UsageError
from weft.execution.outputs import output_file
from weft.model.ids import JobKey, RunId
from weft.model.job import Job
from weft.model.layout import Layout
from weft.model.plan import Mode, Plan
from weft.ports import Journal


def plan_again(history: History, earlier: RunId, run: RunId) -> Plan:
    """The plan of the earlier run, for a new one."""
    plan = _plan_of(history, earlier)
    jobs = tuple(_renamed(job, earlier, run) for job in plan.jobs)
    return leave_out_done(msgspec.structs.replace(plan, jobs=jobs), history, earlier)


def leave_out_done(plan: Plan, history: History, earlier: RunId) -> Plan:
    """The plan, with what the earlier run did marked as finished: the same prompt, for the same agent."""
    before = _plan_of(history, earlier)
    known = {job.key: job for job in before.jobs}
    done = _done(history, earlier)
    jobs = [
        _finished(job, done[job.key], earlier)
        if job.key in done and _same(job, plan, known[job.key], before)
        else _afresh(job)
        for job in plan.jobs
    ]
    return msgspec.structs.replace(plan, jobs=tuple(jobs))


async def end_in(history: History, earlier: RunId, plan: Plan) -> None:
    """Of a run whose process died: what the new run does is over there, so that going on with it does it not twice."""
    record = next(record for record in history.records() if record.run == earlier)
    if record.ended_at is None:
        wanted = [job.key for job in plan.jobs if job.finished is None]
        await take_over(history.journal, history.layout, earlier, wanted)


class EarlierResults:
    """How tasks ended in the runs that did them."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._boards: dict[RunId, TaskBoard] = {}

    def __call__(self, result: TaskResult) -> TaskResult:
        if result.attempt is None:
            return result
        board = self._board(result.attempt.run)
        job = board.board.view.jobs.get(result.attempt.job)
        return msgspec.structs.replace(board.result(job), facts=result.facts) if job else result

    def _board(self, run: RunId) -> TaskBoard:
        if run not in self._boards:
            board = self._boards[run] = TaskBoard(run)
            for entry in self._journal.read(run):
                board.apply(entry.event)
        return self._boards[run]


def _plan_of(history: History, run: RunId) -> Plan:
    if history.has_process(run):
        raise UsageError(f"Run {run} is under way", hint=f"`weft status` shows it; `weft retry JOB --run {run}`")
    plan = history.plan(run)
    if plan is None or plan.mode is not Mode.TASKS:
        raise UsageError(f"Run {run} is not one of a task file", hint="`weft status --all` shows the runs there are")
    return plan


def _done(history: History, run: RunId) -> Mapping[JobKey, TaskResult]:
    """Those that succeeded, and whose output is still there."""
    board = TaskBoard(run)
    for event in history.events(run):
        board.apply(event)
    return {
        result.key: result
        for result in board.results()
        if result.status is TaskStatus.COMPLETED and _has_output(history.layout, result)
    }


def _has_output(layout: Layout, result: TaskResult) -> bool:
    return result.attempt is not None and output_file(layout, result.attempt) is not None


def _same(job: Job, plan: Plan, before: Job, plan_before: Plan) -> bool:
    agent = plan.pipeline(job.pipeline).phases[0].agent
    return job.body == before.body and agent == plan_before.pipeline(before.pipeline).phases[0].agent


def _finished(job: Job, result: TaskResult, earlier: RunId) -> Job:
    why = f"done before in run {earlier}"
    return msgspec.structs.replace(job, finished=why, earlier=result.attempt, branch=result.branch or job.branch)


def _afresh(job: Job) -> Job:
    return msgspec.structs.replace(job, finished=None, earlier=None)


def _renamed(job: Job, earlier: RunId, run: RunId) -> Job:
    """Its branch is named after its run."""
    if job.branch is None:
        return job
    return msgspec.structs.replace(job, branch=job.branch.replace(f"{earlier}/", f"{run}/", 1))
