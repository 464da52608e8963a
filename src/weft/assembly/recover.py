"""After a crash: which runs are dead, ending what they left, going on with them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

from weft.assembly.cut_short import session_finder
from weft.assembly.local import LocalEngine
from weft.assembly.locks import folder_of
from weft.assembly.worktrees import worktrees_folder
from weft.engine.run import Run
from weft.errors import ProcessError
from weft.locks.clearing import clear
from weft.model.events import AnyEvent, RunStarted
from weft.model.ids import AttemptId, RunId
from weft.model.layout import Layout
from weft.model.phase import StepKind
from weft.model.plan import Plan
from weft.ports import Journal, RunRecord
from weft.processes import await_gone
from weft.processes.abandoned import end_abandoned
from weft.processes.launch import read_status
from weft.processes.marked import end_marked
from weft.stores.claims import Claim, is_claimed
from weft.workspaces.merge_leftovers import remove_merge_worktrees
from weft.workspaces.stale_locks import clear_stale_locks

WARDEN_PATIENCE = 30.0
"""Seconds. A warden ends its tree in about two; one that takes longer hangs in the kernel."""
ORPHAN_GRACE = 5.0


def is_interrupted(record: RunRecord, layout: Layout) -> bool:
    """It has not ended, and no living process has it."""
    return record.ended_at is None and not is_claimed(Path(layout.root), record.run)


def interrupted_runs(journal: Journal, layout: Layout, repo: Path | None = None) -> list[RunRecord]:
    """Oldest first; `repo`: only those that work in it."""
    return [
        record
        for record in journal.runs()
        if is_interrupted(record, layout) and (repo is None or str(repo) in record.repos)
    ]


async def go_on(local: LocalEngine, run: RunId) -> Run:
    """Claim the dead run, end what is left of it, and drive it to its end."""
    await end_remains(run, local.claim(run))
    past = await asyncio.to_thread(_events, local.journal, run)
    await asyncio.to_thread(clear_locks, past)
    await clear_merges(local.layout, run, past)
    sessions = session_finder(local.layout, past)
    return await local.resume(run, past, lambda attempt: ended_by_itself(local.layout, attempt), sessions)


async def end_remains(run: RunId, claim: Claim) -> None:
    """Nothing of the dead process may work in a workspace any more when a new one begins to."""
    for warden in claim.earlier:
        try:
            async with asyncio.timeout(WARDEN_PATIENCE):
                await await_gone(warden.pid, warden.started)
        except TimeoutError:
            raise ProcessError(
                f"the processes of run {run} do not end (warden PID {warden.pid})",
                hint="end them by hand, then `weft recover` again",
            ) from None
    await end_marked(run, ORPHAN_GRACE)
    await end_abandoned(ORPHAN_GRACE)
    claim.forget_earlier()


def clear_locks(past: Iterable[AnyEvent]) -> None:
    """Of the dead run's git and of its jobs, now that nothing of it lives; those of the living stay."""
    for event in past:
        if isinstance(event, RunStarted):
            for repo in event.plan.repos:
                clear_stale_locks(Path(repo.path), event.at)
            _clear_job_locks(event.plan)


async def clear_merges(layout: Layout, run: RunId, past: Iterable[AnyEvent]) -> None:
    """What its merge queue was testing is tested again, in another folder."""
    for event in past:
        if isinstance(event, RunStarted):
            for repo in event.plan.repos:
                if repo.merge is not None:
                    await remove_merge_worktrees(worktrees_folder(layout), Path(repo.path), run)


def _clear_job_locks(plan: Plan) -> None:
    """Also of jobs that had ended: nobody will come back to give those back."""
    folders = {repo.name: folder_of(repo.locks) for repo in plan.repos if repo.locks is not None}
    for job in plan.jobs:
        if job.key.repo in folders:
            clear(folders[job.key.repo], job.key.id)


def ended_by_itself(layout: Layout, attempt: AttemptId) -> bool:
    return read_status(Path(layout.status(attempt, StepKind.SESSION))) is not None


def _events(journal: Journal, run: RunId) -> list[AnyEvent]:
    return [entry.event for entry in journal.read(run)]
