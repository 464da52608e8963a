"""A job's workspace: made, taken up again, put away."""

from __future__ import annotations

from weft.execution.context import RunContext
from weft.execution.former import former_gone
from weft.execution.in_place import InPlace
from weft.model.commands import CloseWorkspace, Keep, PrepareWorkspace
from weft.model.events import WorkspaceClosed, WorkspaceReady
from weft.model.ids import JobKey
from weft.ports import Workspace, WorkspaceAsk


async def prepare_workspace(context: RunContext, command: PrepareWorkspace) -> tuple[Workspace, WorkspaceReady]:
    await former_gone(context, command.job)
    workspace = await _make(context, command)
    return workspace, WorkspaceReady(
        at=context.clock.now(),
        job=command.job,
        path=str(workspace.path),
        branch=workspace.branch,
        base=workspace.base,
        head=workspace.head,
        saved=workspace.saved,
    )


async def _make(context: RunContext, command: PrepareWorkspace) -> Workspace:
    job = context.job(command.job)
    if job.branch is None:
        return InPlace(context.repo(command.job))
    return await context.workspaces.prepare(_ask(context, command))


def _ask(context: RunContext, command: PrepareWorkspace) -> WorkspaceAsk:
    job = context.job(command.job)
    repo = context.repo(command.job)
    assert job.branch is not None
    return WorkspaceAsk(
        run=context.run,
        repo=repo,
        job=job.key,
        branch=job.branch,
        base=repo.base,
        starts_from=command.starts_from,
        onto_base=command.onto_base,
        head=command.head,
        merge=command.merge,
        continue_branch=not context.pipelines[job.pipeline].whole,
    )


async def reopen_workspace(context: RunContext, key: JobKey) -> Workspace | None:
    """As a dead process left it: nothing is reset, what is in it is still to be read. None where it left none."""
    job = context.job(key)
    if job.branch is None:
        return InPlace(context.repo(key))
    return await context.workspaces.reopen(_ask(context, PrepareWorkspace(key)))


async def close_workspace(context: RunContext, command: CloseWorkspace, workspace: Workspace | None) -> WorkspaceClosed:
    """None: it was put away already, by a process that died before it could say so."""
    if workspace is None:
        return WorkspaceClosed(at=context.clock.now(), job=command.job)
    closed = await workspace.close(remove_if_clean=command.keep is Keep.REMOVE_IF_CLEAN)
    return WorkspaceClosed(
        at=context.clock.now(),
        job=command.job,
        kept=str(closed.kept) if closed.kept else None,
        saved=closed.saved,
        commit=closed.head,
    )
