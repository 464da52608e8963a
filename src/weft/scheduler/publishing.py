"""A branch that passed becomes a pull request: a step of its own, without a slot, taken up again where it failed."""

from __future__ import annotations

from weft.model.commands import Publish
from weft.model.events import JobPublishing, PublishEnded, TrackerWaits
from weft.model.ids import AttemptId
from weft.model.job import JobStatus, PassedBefore
from weft.model.plan import PublishTo, StopRule
from weft.scheduler.ending import finish
from weft.scheduler.jobrun import PASSED, Ending, JobRun
from weft.scheduler.slots import release_slot
from weft.scheduler.states import JobState
from weft.scheduler.turn import Turn

PHASE = "publish"
FAILED = "pull request failed"


def publisher_of(turn: Turn, job: JobRun) -> PublishTo | None:
    """Where its pull request goes; None where it gets none of its own: with a merge queue the target has one."""
    plan = turn.state.plan
    repo = next((repo for repo in plan.repos if repo.name == job.key.repo), None) if plan else None
    return repo.publish if repo and repo.merge is None and job.job.branch is not None else None


def begin_publishing(turn: Turn, job: JobRun, to: PublishTo) -> None:
    """Every phase has passed, now or in an earlier run: it gives up its slot and keeps its lane."""
    job.move(JobState.PUBLISHING)
    release_slot(turn, job)
    if job.passed is None:
        assert job.head is not None
        job.passed = PassedBefore(turn.state.run, job.head)
    job.head = job.passed.commit
    job.builds += 1
    job.attempt = AttemptId(turn.state.run, job.key, PHASE, job.builds)
    turn.note(JobPublishing(at=turn.at, job=job.key, base=_base(turn, job, to)))
    _order(turn, job, to)


def publish_again(turn: Turn, job: JobRun) -> None:
    """After a crash: what was done of it is found there."""
    if job.ending is not None:
        finish(turn, job, job.ending)
        return
    to = publisher_of(turn, job)
    assert to is not None
    _order(turn, job, to)


def _order(turn: Turn, job: JobRun, to: PublishTo) -> None:
    assert job.attempt is not None
    assert job.passed is not None
    job.stop_sent = False
    turn.order(Publish(job.attempt, job.passed.commit, _base(turn, job, to)))


def _base(turn: Turn, job: JobRun, to: PublishTo) -> str:
    """RUN-5: in a chain the branch before it, unless that is part of the base already."""
    state = turn.state
    assert state.plan is not None
    if state.plan.stop is not StopRule.CHAIN or not job.job.depends_on:
        return to.base
    before = state.jobs[job.job.depends_on[-1]]
    return before.job.branch or to.base


def publish_ended(turn: Turn, event: PublishEnded) -> None:
    job = turn.state.job(event.attempt.job)
    if job.state is not JobState.PUBLISHING or job.attempt != event.attempt:
        return
    if event.pull_request is not None:
        job.pull_request = event.pull_request
        finish(turn, job, PASSED)
    else:
        failed = Ending(JobStatus.FAILED, FAILED, event.problem or "nobody said why")
        finish(turn, job, job.ending or failed)


def tracker_waits(turn: Turn, event: TrackerWaits) -> None:
    """Written for those who show it: whoever publishes waits by itself."""
