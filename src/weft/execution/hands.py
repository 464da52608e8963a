"""The hands of one run on this machine: a command in, events out."""

from __future__ import annotations

import asyncio

from weft.errors import DefectError, WorkspaceError
from weft.execution.context import RunContext
from weft.execution.gates import run_gates
from weft.execution.merging import land, make_merge, read_target
from weft.execution.merging_gates import gate_commit
from weft.execution.publishing import hand_off, publish
from weft.execution.session import run_session
from weft.execution.stopping import Stop
from weft.execution.workspace import close_workspace, prepare_workspace, reopen_workspace
from weft.model.commands import (
    CloseWorkspace,
    Command,
    GateMerge,
    GateTarget,
    HandOff,
    Land,
    MakeMerge,
    PrepareWorkspace,
    Publish,
    ReadTarget,
    ReleaseLock,
    RunGates,
    RunSession,
    StopAttempt,
    StopHandOff,
    StopPreparing,
    TakeLock,
)
from weft.model.events import (
    GatesEnded,
    LockRefused,
    LockTaken,
    SessionEnded,
    WorkspaceClosed,
    WorkspaceFailed,
    WorkspaceReady,
)
from weft.model.ids import AttemptId, JobKey
from weft.model.outcome import Failure, SessionOutcome
from weft.model.phase import FailureClass
from weft.ports import Emit, Workspace


class LocalHands:
    """Keeps the workspaces that exist and the attempts under way; decides nothing."""

    def __init__(self, context: RunContext) -> None:
        self._context = context
        self._workspaces: dict[JobKey, Workspace] = {}
        self._stops: dict[AttemptId, Stop] = {}
        self._hand_off_stops: dict[tuple[str, int], Stop] = {}
        self._making: dict[JobKey, asyncio.Task[tuple[Workspace, WorkspaceReady]]] = {}

    async def perform(self, command: Command, emit: Emit) -> None:
        match command:
            case TakeLock():
                await emit(self._take_lock(command.job))
            case ReleaseLock():
                self._context.locks.release(command.job)
            case PrepareWorkspace():
                await self._prepare(command, emit)
            case RunGates() | RunSession():
                await self._attempt(command, emit)
            case StopAttempt():
                self._stop(command.attempt).ask(command.failure)
            case StopPreparing():
                if making := self._making.get(command.job):
                    making.cancel()
            case CloseWorkspace():
                await self._close(command, emit)
            case Publish() | HandOff() | StopHandOff():
                await self._hand_over(command, emit)
            case _:
                await self._merge(command, emit)

    async def _merge(self, command: Command, emit: Emit) -> None:
        """What the merge queue wants."""
        match command:
            case ReadTarget():
                await emit(await read_target(self._context, command))
            case MakeMerge():
                await emit(await make_merge(self._context, command))
            case GateMerge() | GateTarget():
                await emit(await gate_commit(self._context, command, self._stop(command.attempt)))
                self._stops.pop(command.attempt, None)
            case Land():
                await emit(await land(self._context, command))
            case _:
                raise DefectError(f"no hand for {command}")

    async def _hand_over(self, command: Publish | HandOff | StopHandOff, emit: Emit) -> None:
        """What makes pull requests."""
        match command:
            case Publish():
                await emit(await publish(self._context, command, self._stop(command.attempt), emit))
                self._stops.pop(command.attempt, None)
            case HandOff():
                await emit(await hand_off(self._context, command, self._hand_off_stop(command), emit))
            case StopHandOff():
                self._hand_off_stop(command).set()

    def _hand_off_stop(self, command: HandOff | StopHandOff) -> Stop:
        return self._hand_off_stops.setdefault((command.repo, command.number), Stop())

    def _stop(self, attempt: AttemptId) -> Stop:
        """May be asked for before the attempt has begun."""
        return self._stops.setdefault(attempt, Stop())

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
            workspace, ready = await self._make(command)
        except WorkspaceError as error:
            hint = f" (hint: {error.hint})" if error.hint else ""
            await emit(WorkspaceFailed(at=self._context.clock.now(), job=command.job, reason=error.message + hint))
            return
        self._workspaces[command.job] = workspace
        await emit(ready)

    async def _make(self, command: PrepareWorkspace) -> tuple[Workspace, WorkspaceReady]:
        """In a task of its own: whoever stops it must not stop the answer. In place there is nothing to stop."""
        if self._context.job(command.job).branch is None:
            return await prepare_workspace(self._context, command)
        making = asyncio.create_task(prepare_workspace(self._context, command), name=f"make {command.job}")
        self._making[command.job] = making
        try:
            await asyncio.wait({making})
        finally:
            del self._making[command.job]
            making.cancel()
            await asyncio.gather(making, return_exceptions=True)
        if making.cancelled():
            raise WorkspaceError("stopped before it was made")
        return making.result()

    async def _attempt(self, command: RunGates | RunSession, emit: Emit) -> None:
        job = command.attempt.job
        workspace, stop = await self._workspace(job), self._stop(command.attempt)
        if workspace is None:
            await emit(self._gone(command))
        elif isinstance(command, RunGates):
            await run_gates(self._context, command, workspace, stop, emit)
        else:
            await run_session(self._context, command, workspace, stop, emit)
        if self._context.job(job).branch is None:  # nothing there is to be put away later
            self._forget(job)

    def _gone(self, command: RunGates | RunSession) -> GatesEnded | SessionEnded:
        """Someone took the workspace away after a crash: the attempt is lost, and made again in another."""
        attempt, at = command.attempt, self._context.clock.now()
        failure = Failure(FailureClass.LOST, f"the workspace of {attempt.job} is gone")
        if isinstance(command, RunGates):
            return GatesEnded(at=at, attempt=attempt, failure=failure)
        return SessionEnded(at=at, attempt=attempt, outcome=SessionOutcome(failure=failure))

    async def _workspace(self, job: JobKey) -> Workspace | None:
        """The job's; after a crash it is taken up as the dead process left it, and with it the job's lock."""
        if job in self._workspaces:
            return self._workspaces[job]
        answer = self._context.locks.take(job)
        if answer.holder is not None:
            raise WorkspaceError(answer.message)
        found = await reopen_workspace(self._context, job)
        if found is not None:
            self._workspaces[job] = found
        return found

    async def _close(self, command: CloseWorkspace, emit: Emit) -> None:
        lost = self._context.locks.lost(command.job)
        if lost is not None:  # it is the new holder's now, with all that is in it
            await emit(WorkspaceClosed(at=self._context.clock.now(), job=command.job, problem=lost))
            return
        workspace = await self._workspace(command.job)
        await emit(await close_workspace(self._context, command, workspace))
        self._forget(command.job)

    def _forget(self, job: JobKey) -> None:
        self._workspaces.pop(job, None)
        for attempt in [attempt for attempt in self._stops if attempt.job == job]:
            del self._stops[attempt]
