"""A branch that does not land goes back to its author, a bounded number of times (MERGE-4)."""

from __future__ import annotations

from weft.model.events import MergeFailed
from weft.model.job import JobStatus
from weft.model.outcome import Failure
from weft.model.phase import FailureClass
from weft.model.plan import MergeInto
from weft.scheduler.ending import finish
from weft.scheduler.jobrun import Ending, JobRun
from weft.scheduler.merge_queue import Trouble
from weft.scheduler.states import JobState
from weft.scheduler.turn import Turn

RED = (
    "The branch is merged with the target in the workspace, uncommitted: "
    "the gates below fail on that tree. Mend it so that both sides' changes hold."
)
CONFLICT = (
    "The merge is under way in the workspace, with conflict markers: resolve them so that both changes hold. "
    "Where a file has none (it is binary, or one side removed it) one side's version stands: "
    "change it, or `git add` it if it is right as it is."
)


def send_back(turn: Turn, job: JobRun, into: MergeInto, trouble: Trouble, onto: str | None) -> None:
    """Out of the queue already. It goes before new jobs; the queue does not wait for it."""
    author = _author_phase(job) if trouble.mendable else None
    if author is None or job.repairs >= into.repairs:
        turn.note(_failed(turn, job, trouble, 0))
        finish(turn, job, Ending(JobStatus.PARKED, trouble.reason, _detail(trouble)))
        return
    job.repairs += 1
    turn.note(_failed(turn, job, trouble, job.repairs))
    job.phase_index = author
    job.loops = job.retries = 0
    job.findings = (*trouble.findings, CONFLICT) if trouble.conflict else (RED, *trouble.findings)
    job.merging = onto
    job.move(JobState.RETURNING)
    turn.state.queue.push_returning(job)


def may_repair_again(turn: Turn, job: JobRun, failure: Failure) -> bool:
    """An author who did not resolve what it was given may try again, as long as a repair is left."""
    queue = turn.state.queues.get(job.key.repo)
    if queue is None or job.merging is None or failure.kind is not FailureClass.WORK:
        return False
    if job.repairs >= queue.into.repairs:
        return False
    job.repairs += 1
    return True


def phase_failed(job: JobRun, detail: str) -> Ending:
    """What passed once and only could not be repaired needs a person: the work is there."""
    reason = f"Phase {job.phase.name} failed"
    if job.repairs:
        return Ending(JobStatus.PARKED, f"could not be repaired for the merge: {reason}", detail)
    return Ending(JobStatus.FAILED, reason, detail)


def _detail(trouble: Trouble) -> str | None:
    """For people. Of a conflict the reason says it all: the findings are for an author who has it in the workspace."""
    return None if trouble.conflict and trouble.mendable else "\n".join(trouble.findings)


def _failed(turn: Turn, job: JobRun, trouble: Trouble, repair: int) -> MergeFailed:
    return MergeFailed(at=turn.at, job=job.key, reason=trouble.reason, repair=repair, findings=trouble.findings)


def _author_phase(job: JobRun) -> int | None:
    """The last phase that writes."""
    writing = [number for number, phase in enumerate(job.pipeline.phases) if phase.writes]
    return writing[-1] if writing else None
