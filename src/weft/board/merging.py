"""The fold of the merge queue's events: who stands where, which builds there were, what landed.

The scheduler takes builds back without an event of their own: those behind a branch that is refused, and all of them
when the target moves or is red. Here they are marked so by the event that is the cause.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from weft.board.queue_view import MERGE, FlakyGate, MergeStand, QueueView
from weft.board.states import PhaseState
from weft.board.views import AttemptView, JobView, PhaseView, RunView
from weft.model.events import (
    CancelRequested,
    JobQueued,
    LandingEnded,
    MergeFailed,
    MergeGated,
    MergeMade,
    QueueHoldSet,
    QueueRemoveRequested,
    TargetGated,
    TargetRead,
    TargetRed,
)
from weft.model.ids import AttemptId, JobKey
from weft.model.outcome import Failure, GateResult, PhaseStatus
from weft.model.phase import FailureClass
from weft.model.plan import Plan

OfQueue: TypeAlias = QueueHoldSet | TargetRead | TargetRed
OfBuild: TypeAlias = MergeMade | MergeGated | TargetGated | LandingEnded
OfJob: TypeAlias = JobQueued | MergeFailed | QueueRemoveRequested | CancelRequested
MergeNews: TypeAlias = OfQueue | OfBuild | OfJob


def plan_queues(view: RunView, plan: Plan) -> None:
    """A queue for each repo that has one, and the phase `merge` for each job that is to land."""
    view.queues = {
        repo.name: QueueView(repo.name, repo.merge.target, repo.base, repo.merge.repairs)
        for repo in plan.repos
        if repo.merge is not None
    }
    for job in view.jobs.values():
        if job.key.repo in view.queues and job.job.branch is not None:
            job.phases.append(PhaseView(MERGE))


def fold_merging(view: RunView, event: MergeNews) -> None:
    match event:
        case QueueHoldSet() | TargetRead() | TargetRed():
            queue = view.queues.get(event.repo)
            if queue is not None:
                _of_queue(view, queue, event)
                _mark_landing(view, queue)
        case JobQueued() | MergeFailed() | QueueRemoveRequested() | CancelRequested():
            job, queue = view.jobs.get(event.job), view.queues.get(event.job.repo)
            if job is not None and queue is not None and job.status is None:
                _of_job(view, queue, job, event)
                _mark_landing(view, queue)
        case MergeMade() | MergeGated() | TargetGated() | LandingEnded():
            job, queue = view.jobs.get(event.attempt.job), view.queues.get(event.attempt.job.repo)
            if job is not None and queue is not None:
                _note_flaky(view, event)
                if job.stand is not None:
                    _of_build(view, queue, job, event)
                    _mark_landing(view, queue)


def leave_queue(view: RunView, job: JobView) -> None:
    """It ended, or is worked on again."""
    job.stand = None
    view.queued.pop(job.key, None)
    queue = view.queues.get(job.key.repo)
    if queue is not None and job.key in queue.items:
        queue.items.remove(job.key)
        _mark_landing(view, queue)


def end_merging(view: RunView, job: JobView) -> None:
    """The job is over: what was being built for it is not any more."""
    leave_queue(view, job)
    phase = merge_phase(job)
    if phase is None:
        return
    if job.merged:
        phase.state = PhaseState.PASSED
    elif phase.state in (PhaseState.RUNNING, PhaseState.RETRYING):
        phase.state = PhaseState.CANCELLED
    _drop(view, job)


def lose_builds(view: RunView) -> None:
    """Weft died: what was under way is built again."""
    for job in view.queued.values():
        _drop(view, job, PhaseStatus.LOST)


def merge_phase(job: JobView) -> PhaseView | None:
    return next((phase for phase in job.phases if phase.name == MERGE), None)


def flaky_gates(view: RunView) -> dict[str, list[JobKey]]:
    """By gate, for whose branches it was so."""
    found: dict[str, list[JobKey]] = {}
    for each in view.flaky:
        found.setdefault(each.gate, []).append(each.job)
    return found


# ---------------------------------------------------------------- queues


def _of_queue(view: RunView, queue: QueueView, event: OfQueue) -> None:
    match event:
        case QueueHoldSet(held=held):
            queue.held = held
            queue.stuck = queue.stuck if held else None
        case TargetRead(problem=problem):
            if problem is not None:
                _stick(view, queue, problem)
        case TargetRed(target=target, commit=commit, reason=reason):
            _stick(view, queue, f"target is red: {reason} on {target} itself, at {commit[:12]}")


def _mark_landing(view: RunView, queue: QueueView) -> None:
    """A green one that comes to be the first lands at once, unless something keeps the queue."""
    if queue.landing is None and queue.items and queue.standing is None and view.stop_signal is None:
        first = queue.items[0]
        queue.landing = first if view.jobs[first].stand is MergeStand.GREEN else None


def _stick(view: RunView, queue: QueueView, why: str) -> None:
    queue.stuck = why
    _unbuild(view, queue.items)


def _unbuild(view: RunView, keys: Iterable[JobKey]) -> None:
    for key in keys:
        job = view.jobs[key]
        if job.stand is not None:
            _drop(view, job)


def _drop(view: RunView, job: JobView, status: PhaseStatus = PhaseStatus.CANCELLED) -> None:
    """Its build no longer counts."""
    if job.stand is not None:
        job.stand = MergeStand.WAITING
    phase = merge_phase(job)
    if phase is not None and phase.latest is not None and phase.latest.status is None:
        _close(view, phase.latest, status)


# ---------------------------------------------------------------- jobs


def _of_job(view: RunView, queue: QueueView, job: JobView, event: OfJob) -> None:
    match event:
        case JobQueued(target=target, ahead=ahead):
            job.stand, job.target, job.queued_at = MergeStand.WAITING, target, event.at
            job.in_flight = False
            view.running.pop(job.key, None)
            view.queued[job.key] = job
            queue.items.insert(ahead, job.key)
        case MergeFailed(repair=repair, reason=reason):
            _send_back(job, repair, reason)
            job.in_flight = False
            leave_queue(view, job)
        case QueueRemoveRequested() | CancelRequested() if job.key in queue.items and job.key != queue.landing:
            # It is shown as queued until it has ended, but nobody is behind it any more.
            behind = queue.items[queue.items.index(job.key) + 1 :]
            if job.stand in (MergeStand.TESTING, MergeStand.GREEN):
                _unbuild(view, behind)
            queue.items.remove(job.key)
        case _:
            pass


def _send_back(job: JobView, repair: int, reason: str) -> None:
    job.repairs = max(job.repairs, repair)
    phase = merge_phase(job)
    if phase is None:
        return
    phase.state = PhaseState.RETRYING if repair else PhaseState.FAILED
    if phase.latest is not None:
        phase.latest.reason = reason
    if not repair:
        job.failed_phase = MERGE


# ---------------------------------------------------------------- builds


def _of_build(view: RunView, queue: QueueView, job: JobView, event: OfBuild) -> None:
    phase = merge_phase(job)
    if phase is None:
        return
    match event:
        case MergeMade():
            _made(view, queue, job, event, phase)
        case MergeGated():
            _gated(view, queue, job, event, phase)
        case TargetGated():
            if _failed(event.results, event.failure) and phase.latest is not None:
                phase.latest.status, phase.latest.reason = PhaseStatus.CANCELLED, "target is red"  # nobody is blamed
        case LandingEnded():
            _landing(view, queue, job, event, phase)


def _made(view: RunView, queue: QueueView, job: JobView, event: MergeMade, phase: PhaseView) -> None:
    if phase.latest is not None and event.attempt.number <= phase.latest.number:
        return  # overtaken by the next one
    _drop(view, job)
    phase.attempts.append(AttemptView(event.attempt.number, event.at, view.worked()))
    phase.state, job.current = PhaseState.RUNNING, phase
    if event.commit is not None:
        job.stand = MergeStand.TESTING
        return
    said = f"conflict in {', '.join(event.conflicts)}" if event.conflicts else event.problem
    _refuse(view, queue, job, phase.attempts[-1], said)


def _gated(view: RunView, queue: QueueView, job: JobView, event: MergeGated, phase: PhaseView) -> None:
    attempt = _open(phase, event.attempt)
    if attempt is None:
        return  # overtaken by something else
    attempt.gates, attempt.flaky, attempt.failure = event.results, event.flaky, event.failure
    if event.failure is not None and event.failure.kind is FailureClass.LOST:
        # Run again on the same tree, under the next number.
        _close(view, attempt, PhaseStatus.LOST)
        phase.attempts.append(AttemptView(event.attempt.number + 1, event.at, view.worked()))
    elif event.failure is not None and event.failure.kind is FailureClass.KILLED:
        _drop(view, job)
    elif red := _failed(event.results, event.failure):
        _refuse(view, queue, job, attempt, red)
    else:
        job.stand = MergeStand.GREEN


def _refuse(view: RunView, queue: QueueView, job: JobView, attempt: AttemptView, why: str | None) -> None:
    attempt.reason = why
    _close(view, attempt, PhaseStatus.FAILED)
    job.stand = MergeStand.REFUSED
    if job.key in queue.items:
        _unbuild(view, queue.items[queue.items.index(job.key) + 1 :])


def _landing(view: RunView, queue: QueueView, job: JobView, event: LandingEnded, phase: PhaseView) -> None:
    latest = phase.latest
    if latest is None or latest.number != event.attempt.number:
        return
    queue.landing = None
    if not event.landed:
        _unbuild(view, queue.items)
        queue.stuck = event.problem or queue.stuck
        return
    latest.status = None
    _close(view, latest, PhaseStatus.PASSED)
    phase.state, job.landed = PhaseState.PASSED, event.commit
    queue.landed += 1
    if job.key in queue.items:
        queue.items.remove(job.key)
    if event.tip is not None and event.tip != event.commit:  # another landed on top of it
        _unbuild(view, queue.items)


def _open(phase: PhaseView, ident: AttemptId) -> AttemptView | None:
    latest = phase.latest
    return latest if latest is not None and latest.number == ident.number and latest.status is None else None


def _close(view: RunView, attempt: AttemptView, status: PhaseStatus) -> None:
    attempt.status = status
    attempt.duration = max(0.0, view.worked() - attempt.begun)


def _failed(results: Iterable[GateResult], failure: Failure | None) -> str | None:
    if failure is not None:
        return f"gates could not be run: {failure.message}"
    failed = [result.name for result in results if not result.passed]
    return f"gate {', '.join(failed)} failed" if failed else None


def _note_flaky(view: RunView, event: OfBuild) -> None:
    """Also of a build that no longer counts: a gate is flaky wherever it ran."""
    if isinstance(event, MergeGated | TargetGated):
        found = [FlakyGate(gate, event.attempt.job) for gate in event.flaky]
        view.flaky += [each for each in found if each not in view.flaky]
