"""What a job holds while it is active: its slot, its place in a lane, its workspace."""

from __future__ import annotations

from weft.model.commands import PrepareWorkspace
from weft.model.plan import StopRule
from weft.scheduler.jobrun import JobRun
from weft.scheduler.states import JobState
from weft.scheduler.turn import Turn


def make_ready(turn: Turn, job: JobRun) -> None:
    if job.state is not JobState.READY:
        job.move(JobState.READY)
    turn.state.queue.push(job)


def order_workspace(turn: Turn, job: JobRun) -> None:
    branches, onto_base = _starting_point(turn, job)
    turn.order(PrepareWorkspace(job.key, branches, onto_base, job.head, job.merging))


def _starting_point(turn: Turn, job: JobRun) -> tuple[tuple[str, ...], bool]:
    """What its branch starts from: in a chain the one before it, else the base with its dependencies' branches."""
    state = turn.state
    assert state.plan is not None
    needs = [state.jobs[key] for key in job.job.depends_on if key.repo == job.key.repo]
    # What has landed is in the target, where jobs of its repo start.
    branches = (*job.job.builds_on, *(need.job.branch for need in needs if need.job.branch and not need.landed))
    if state.plan.stop is StopRule.CHAIN and branches:
        return (branches[-1],), False
    return branches, True


def release_slot(turn: Turn, job: JobRun) -> None:
    if job.has_slot:
        job.has_slot = False
        turn.state.in_flight -= 1


def release_lane(turn: Turn, job: JobRun) -> None:
    job.lane.used -= 1
    turn.state.queue.offer(job.lane)
    turn.state.apart.end(job)
