"""What needs a person, in one place (UI-4): stuck jobs, stuck queues, interrupted runs, used-up quotas.

Purely a fold of the journal, so that it is the same wherever it is shown, with or without a run under way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum

import msgspec

from weft.board.states import RunStatus
from weft.board.times import iso_time
from weft.board.views import JobView, RunView
from weft.model.answer import Answer
from weft.model.gauges import LimitSource
from weft.model.ids import JobKey, RunId
from weft.model.job import JobStatus
from weft.model.plan import Mode

UNMET = "unmet dependency "
ASKS = "asks: "


class InboxKind(Enum):
    QUESTION = "question"
    """The agent asks something."""
    PARKED = "parked"
    """The job cannot go on by itself."""
    FAILED = "failed"
    """It ended badly, and something is kept that only a person can judge."""
    INTERRUPTED = "interrupted"
    """The run's process is gone."""
    QUEUE = "queue"
    """A merge queue cannot land: its target is red, or cannot be moved."""
    QUOTA = "quota"
    """An account's quota is used up; the run goes on by itself at the reset."""
    HANDOFF = "handoff"
    """What landed could not be handed over."""


class InboxItem(msgspec.Struct, frozen=True):
    kind: InboxKind
    run: RunId
    title: str
    """What it is about, such as `shop#101`."""
    reason: str
    actions: tuple[str, ...]
    """What can be done, each a sentence or a command."""
    at: float
    """Since when."""
    job: JobKey | None = None
    status: str = ""
    """How the job ended."""
    details: tuple[str, ...] = ()
    """What is kept of it, and where."""


def inbox(views: Sequence[RunView], answers: Iterable[Answer] = (), now: float | None = None) -> list[InboxItem]:
    """`views`: newest first. A job that a newer run took up again is that run's matter, an answered one nobody's."""
    latest = {(answer.path, answer.job): answer.at for answer in answers}
    items: list[InboxItem] = []
    newer: set[tuple[str, JobKey]] = set()
    for view in views:
        items += _of_run(view, now)
        for job in view.jobs.values():
            where = view.repos.get(job.key.repo, "")
            answered = latest.get((where, job.key.id), 0.0) >= (job.ended_at or 0.0) > 0.0
            if needs_person(job) and (where, job.key) not in newer and not answered:
                items.append(job_item(view, job))
        newer.update((view.repos.get(job.key.repo, ""), job.key) for job in view.jobs.values() if job.begun is not None)
    return items


def needs_person(job: JobView) -> bool:
    """Parked, or ended badly with something kept that only a person can judge."""
    if job.status is JobStatus.PARKED or job.problem:
        return True
    bad = job.status in (JobStatus.FAILED, JobStatus.CANCELLED, JobStatus.NO_CHANGE)
    return bad and bool(job.saved or job.workspace)


def _of_run(view: RunView, now: float | None) -> list[InboxItem]:
    items: list[InboxItem] = []
    if view.status is RunStatus.INTERRUPTED:
        left = f"was interrupted, {len(view.jobs) - view.ended} of {len(view.jobs)} jobs unfinished"
        actions = ("`weft recover` goes on with it",)
        items.append(InboxItem(InboxKind.INTERRUPTED, view.run, view.run, left, actions, view.last_at))
    if view.ended_at is None:
        items += _stuck(view)
        items += _quotas(view, now)
    items += [
        InboxItem(InboxKind.HANDOFF, view.run, repo, handoff.problem, ("open the pull request by hand",), view.last_at)
        for repo, handoff in view.handed_off.items()
        if handoff.problem
    ]
    return items


def _stuck(view: RunView) -> list[InboxItem]:
    """Those of a run that has ended are told with the jobs it parked."""
    return [
        InboxItem(
            InboxKind.QUEUE,
            view.run,
            queue.target,
            queue.stuck,
            (f"mend it, `weft queue release {queue.repo}`",),
            view.last_at,
        )
        for queue in view.queues.values()
        if queue.stuck
    ]


def _quotas(view: RunView, now: float | None) -> list[InboxItem]:
    items: list[InboxItem] = []
    for account, quota in view.quotas.items():
        if quota.resets_at is None or quota.resets_at <= (view.last_at if now is None else now):
            continue
        said = f": {quota.why}" if quota.why else ""
        reason = f"its quota is used up until {iso_time(quota.resets_at)}{said}"
        actions = ("nothing need be done: jobs that wait for it go on by themselves", "`weft why JOB` says which wait")
        items.append(InboxItem(InboxKind.QUOTA, view.run, account, reason, actions, quota.at))
    limit = view.limits.get(LimitSource.QUOTA)
    if not items and limit is not None and limit.cap == 0:
        wait = ("nothing need be done: the run goes on by itself",)
        items.append(InboxItem(InboxKind.QUOTA, view.run, view.run, limit.why, wait, view.last_at))
    return items


def job_item(view: RunView, job: JobView) -> InboxItem:
    kept = [f"workspace kept: {job.workspace}"] if job.workspace else []
    kept += [f"problem: {job.problem}"] if job.problem else []
    return InboxItem(
        kind=_kind(job),
        run=view.run,
        title=str(job.key),
        reason=job.explained or "",
        actions=tuple(_actions(view, job)),
        at=job.ended_at or view.last_at,
        job=job.key,
        status=view.shown_status(job),
        details=tuple(kept),
    )


def _kind(job: JobView) -> InboxKind:
    if job.status is not JobStatus.PARKED:
        return InboxKind.FAILED
    return InboxKind.QUESTION if (job.reason or "").startswith(ASKS) else InboxKind.PARKED


def _actions(view: RunView, job: JobView) -> list[str]:
    under_way = view.ended_at is None and view.alive
    logs = f"`weft logs {view.run} {job.key}`"
    if (job.reason or "").startswith(UNMET):
        return [logs]
    again = f"`weft retry {job.key}`" if under_way else f"`{run_again(view, job)}`"
    if job.status not in (JobStatus.PARKED, JobStatus.FAILED) or not (under_way or view.mode is not Mode.TASKS):
        return [logs, again]
    answer = f'`weft answer {job.key} "…"`'
    return [answer, logs] if _kind(job) is InboxKind.QUESTION else [logs, answer, again]


def run_again(view: RunView, job: JobView) -> str:
    """The command that takes the job up again once its run is over."""
    by_reference = view.mode not in (Mode.WAVE, Mode.PROJECTS, Mode.TASKS) and job.job.origin != "command line"
    return f"weft run {job.key.id}" if by_reference else view.command or f"weft run {job.key.id}"


def inbox_document(items: Iterable[InboxItem]) -> list[dict[str, object]]:
    """As `weft status --json` has it."""
    return [
        {
            "kind": item.kind.value,
            "run": item.run,
            "job": None if item.job is None else str(item.job),
            "title": item.title,
            "status": item.status or None,
            "reason": item.reason,
            "details": list(item.details),
            "since": iso_time(item.at),
            "actions": list(item.actions),
        }
        for item in items
    ]
