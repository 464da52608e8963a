"""A new run takes over jobs that a dead one left: whoever goes on with the dead run later must not do them again.

The job's workspace and branch are the new run's from here on, so nothing of the dead run may touch them any more. What
its process would have answered is therefore written for it, and the job ends there as cancelled.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from pathlib import Path

from weft.assembly.recover import clear_locks, clear_merges, end_remains
from weft.engine.recovery import reconstruct
from weft.model.commands import Command, WriteNote
from weft.model.events import (
    AnyEvent,
    CancelRequested,
    GatesEnded,
    Input,
    LandingEnded,
    Note,
    PublishEnded,
    SessionEnded,
    WorkspaceClosed,
    WorkspaceFailed,
)
from weft.model.ids import JobKey, RunId
from weft.model.layout import Layout
from weft.model.outcome import Failure, SessionOutcome
from weft.model.phase import FailureClass
from weft.model.usage import NO_USAGE
from weft.ports import Journal
from weft.scheduler.jobrun import JobRun
from weft.scheduler.merge_queue import ItemState
from weft.scheduler.state import State
from weft.scheduler.states import JobState
from weft.scheduler.step import step
from weft.stores.claims import claim_run
from weft.workspaces.git import Git
from weft.workspaces.repository import Repository, find_repo

WHY = "taken over by a later run"


async def take_over(
    journal: Journal, layout: Layout, run: RunId, jobs: Iterable[JobKey], git: Git | None = None
) -> list[JobKey]:
    """End these jobs in the dead run, where they have not ended; answers which. Nothing of it is alive after. `git` is
    asked what has landed: plans without a merge queue need none.
    """
    folder = Path(layout.root)
    with claim_run(folder, run) as claim:
        past = [entry.event for entry in journal.read(run)]
        found = reconstruct(run, past)
        taken = [key for key in jobs if key in found.state.jobs and found.state.jobs[key].status is None]
        if not taken:
            return []
        await end_remains(run, claim)
        await asyncio.to_thread(clear_locks, past)
        await clear_merges(layout, run, past)
        at = max(found.last_at, time.time())
        events: list[AnyEvent] = list(found.missing)
        for key in taken:
            job = found.state.jobs[key]
            events += _ended(found.state, job, at, landed=await _has_landed(found.state, job, git))
        await journal.append(run, events)
        return taken


async def _has_landed(state: State, job: JobRun, git: Git | None) -> bool:
    """Whether the dead process came to move the target, where it was about to (RECOVER-2)."""
    if git is None or state.plan is None or not _is_landing(job):
        return False
    repo = state.plan.repo(job.key.repo)
    assert repo.merge is not None
    assert job.item is not None
    repository = Repository(git, await find_repo(git, Path(repo.path)))
    return await repository.has_commit(str(job.item.commit), f"refs/heads/{repo.merge.target}")


def _is_landing(job: JobRun) -> bool:
    return job.item is not None and job.item.state is ItemState.LANDING


def _ended(state: State, job: JobRun, at: float, *, landed: bool) -> list[AnyEvent]:
    """The events that end it, and what the scheduler concludes from them."""
    events: list[AnyEvent] = []
    event: Input | None = CancelRequested(at=at, job=job.key, why=WHY)
    while event is not None:
        events += [event, *_notes(step(state, event))]
        event = None if job.status is not None else _answer(job, at, landed=landed)
    return events


def _notes(commands: list[Command]) -> list[Note]:
    return [command.note for command in commands if isinstance(command, WriteNote)]


def _answer(job: JobRun, at: float, *, landed: bool) -> Input:
    """What the dead process can no longer say."""
    failure = Failure(FailureClass.KILLED, "Weft was interrupted")
    match job.state:
        case JobState.GATES:
            assert job.attempt is not None
            return GatesEnded(at=at, attempt=job.attempt, failure=failure)
        case JobState.SESSION:
            assert job.attempt is not None
            outcome = SessionOutcome(failure=failure, usage=NO_USAGE)
            return SessionEnded(at=at, attempt=job.attempt, outcome=outcome)
        case JobState.CLOSING:
            return WorkspaceClosed(at=at, job=job.key)
        case JobState.PUBLISHING:
            assert job.attempt is not None
            return PublishEnded(at=at, attempt=job.attempt, problem=failure.message)
        case JobState.QUEUED if _is_landing(job):
            return _landing(job, at, landed=landed)
        case JobState.QUEUED:
            return CancelRequested(at=at, job=job.key, why=WHY)
        case _:
            return WorkspaceFailed(at=at, job=job.key, reason=failure.message)


def _landing(job: JobRun, at: float, *, landed: bool) -> LandingEnded:
    assert job.item is not None
    assert job.item.attempt is not None
    commit = str(job.item.commit)
    return LandingEnded(at=at, attempt=job.item.attempt, commit=commit, landed=landed, tip=commit if landed else None)
