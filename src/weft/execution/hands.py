"""The hands of one run on this machine: a command in, events out."""

from __future__ import annotations

import asyncio

from weft.errors import DefectError, WorkspaceError
from weft.execution.context import RunContext
from weft.execution.gates import run_gates
from weft.execution.session import run_session
from weft.execution.workspace import close_workspace, prepare_workspace, reopen_workspace
from weft.model.commands import (
    CloseWorkspace,
    Command,
    PrepareWorkspace,
    ReleaseLock,
    RunGates,
    RunSession,
    StopAttempt,
    TakeLock,
)
from weft.model.events import LockRefused, LockTaken, WorkspaceClosed, WorkspaceFailed
from weft.model.ids import AttemptId, JobKey
from weft.ports import Emit, Workspace


class LocalHands:
    """Keeps the workspaces that exist and the attempts under way; decides nothing."""

    def __init__(self, context: RunContext) -> None:
        self._context = context
        self._workspaces: dict[JobKey, Workspace] = {}
        self._stops: dict[AttemptId, asyncio.Event] = {}

    async def perform(self, command: Command, emit: Emit) -> None:
        match command:
            case TakeLock():
                await emit(self._take_lock(command.job))
            case ReleaseLock():
                self._context.locks.release(command.job)
            case PrepareWorkspace():
                await self._prepare(command, emit)
            case RunGates():
                workspace = await self._workspace(command.attempt.job)
                await run_gates(self._context, command, workspace, self._stop(command.attempt), emit)
            case RunSession():
                workspace = await self._workspace(command.attempt.job)
                await run_session(self._context, command, workspace, self._stop(command.attempt), emit)
            case StopAttempt():
                self._stop(command.attempt).set()
            case CloseWorkspace():
                await self._close(command, emit)
            case _:
                raise DefectError(f"no hand for {command}")

    def _stop(self, attempt: AttemptId) -> asyncio.Event:
        """Set when the attempt is to end; may be asked for before the attempt has begun."""
        return self._stops.setdefault(attempt, asyncio.Event())

    def _take_lock(self, job: JobKey) -> LockTaken | LockRefused:
        answer = self._context.locks.take(job)
        if answer.holder is None:
            return LockTaken(at=self._context.clock.now(), job=job, said=answer.said)
        return LockRefused(at=self._context.clock.now(), job=job, holder=answer.holder, message=answer.message)

    async def _prepare(self, command: PrepareWorkspace, emit: Emit) -> None:
        """Only who has the job's lock may touch its workspace; after a crash it is taken again here."""
        answer = self._context.locks.take(command.job)
        if answer.holder is not None:
            at = self._context.clock.now()
            await emit(WorkspaceFailed(at=at, job=command.job, reason=answer.message, locked_by=answer.holder))
            return
        try:
            workspace, ready = await prepare_workspace(self._context, command)
        except WorkspaceError as error:
            hint = f" (hint: {error.hint})" if error.hint else ""
            await emit(WorkspaceFailed(at=self._context.clock.now(), job=command.job, reason=error.message + hint))
            return
        self._workspaces[command.job] = workspace
        await emit(ready)

    async def _workspace(self, job: JobKey) -> Workspace:
        workspace = await self._known_workspace(job)
        if workspace is None:
            raise WorkspaceError(f"the workspace of {job} is gone")
        return workspace

    async def _known_workspace(self, job: JobKey) -> Workspace | None:
        """The job's; after a crash it is taken up as the dead process left it."""
        if job not in self._workspaces and (found := await reopen_workspace(self._context, job)):
            self._workspaces[job] = found
        return self._workspaces.get(job)

    async def _close(self, command: CloseWorkspace, emit: Emit) -> None:
        lost = self._context.locks.lost(command.job)
        if lost is not None:  # it is the new holder's now, with all that is in it
            await emit(WorkspaceClosed(at=self._context.clock.now(), job=command.job, problem=lost))
            return
        workspace = await self._known_workspace(command.job)
        await emit(await close_workspace(self._context, command, workspace))
        self._workspaces.pop(command.job, None)
        for attempt in [attempt for attempt in self._stops if attempt.job == command.job]:
            del self._stops[attempt]
