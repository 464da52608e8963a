"""After a lock was taken over by force: the former holder's agents must be gone before their workspace is touched."""

from __future__ import annotations

from weft.errors import WorkspaceError
from weft.execution.context import RunContext
from weft.model.ids import JobKey
from weft.processes.marked import find_marked

PATIENCE = 30.0
"""Seconds. The former holder looks at its locks every second and stops its agents within its grace."""
PAUSE = 0.1


async def former_gone(context: RunContext, job: JobKey) -> None:
    former = context.locks.former(job)
    if former is None:
        return
    deadline = context.clock.now() + PATIENCE
    while left := [pid for pid, mark in find_marked(former) if mark.startswith(f"{former}/{job}/")]:
        if context.clock.now() > deadline:
            raise WorkspaceError(
                f"an agent of run {former} still works on {job} (PID {left[0]})",
                hint=f"`--force --signal-other` ends it, or wait for it: kill {left[0]}",
            )
        await context.clock.sleep(PAUSE)
