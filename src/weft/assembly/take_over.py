"""A new run takes over jobs that a dead one left: whoever goes on with the dead run later must not do them again.

The job's workspace and branch are the new run's from here on, so nothing of the dead run may touch them any more. What
its process would have answered is therefore written for it, and the job ends there as cancelled.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from pathlib import Path

from weft.assembly.recover import clear_locks, end_remains
from weft.engine.recovery import reconstruct
from weft.model.commands import Command, WriteNote
from weft.model.events import (
    AnyEvent,
    CancelRequested,
    GatesEnded,
    Input,
    Note,
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
from weft.scheduler.state import State
from weft.scheduler.states import JobState
from weft.scheduler.step import step
from weft.stores.claims import claim_run

WHY = "taken over by a later run"


async def take_over(journal: Journal, layout: Layout, run: RunId, jobs: Iterable[JobKey]) -> list[JobKey]:
    """End these jobs in the dead run, where they have not ended; answers which. Nothing of it is alive after."""
    folder = Path(layout.root)
    with claim_run(folder, run) as claim:
        past = [entry.event for entry in journal.read(run)]
        found = reconstruct(run, past)
        taken = [key for key in jobs if key in found.state.jobs and found.state.jobs[key].status is None]
        if not taken:
            return []
        await end_remains(run, claim)
        await asyncio.to_thread(clear_locks, past)
        at = max(found.last_at, time.time())
        events: list[AnyEvent] = list(found.missing)
        for key in taken:
            events += _ended(found.state, found.state.jobs[key], at)
        await journal.append(run, events)
        return taken


def _ended(state: State, job: JobRun, at: float) -> list[AnyEvent]:
    """The events that end it, and what the scheduler concludes from them."""
    events: list[AnyEvent] = []
    event: Input | None = CancelRequested(at=at, job=job.key, why=WHY)
    while event is not None:
        events += [event, *_notes(step(state, event))]
        event = None if job.status is not None else _answer(job, at)
    return events


def _notes(commands: list[Command]) -> list[Note]:
    return [command.note for command in commands if isinstance(command, WriteNote)]


def _answer(job: JobRun, at: float) -> Input:
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
        case _:
            return WorkspaceFailed(at=at, job=job.key, reason=failure.message)
