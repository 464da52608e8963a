"""Going on with an interrupted run over projects: its projects are taken again, so that no other run has them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from weft.assembly.project_run import held_text
from weft.errors import LockedError, UsageError
from weft.model.events import RunStarted
from weft.model.ids import RunId
from weft.model.plan import Mode, Plan
from weft.settings.environment import Environment
from weft.stores.project_claims import ProjectClaims
from weft.stores.sqlite import SqliteJournal
from weft.workspaces.git import Git
from weft.workspaces.repository import find_repo


@asynccontextmanager
async def holding_projects(journal: SqliteJournal, environment: Environment, run: RunId) -> AsyncIterator[None]:
    """LockedError where another run has one of them. Runs of other modes have none."""
    first = next((entry.event for entry in journal.read(run)), None)
    plan = first.plan if isinstance(first, RunStarted) else None
    async with AsyncExitStack() as last:
        if plan is not None and plan.mode is Mode.PROJECTS:
            claims = ProjectClaims(journal.path)
            for project in await _repos(plan, environment):
                holder = claims.take(project, run)
                if holder is not None:
                    raise LockedError(f"{project}: {held_text(holder)}", hint="`weft recover` again when it has ended")
                last.callback(claims.give_back, project, run)
        yield


async def _repos(plan: Plan, environment: Environment) -> list[str]:
    """Those that are still there, each once."""
    git = Git(environment.variables)
    found: dict[str, None] = {}
    for repo in plan.repos:
        try:
            found[str((await find_repo(git, Path(repo.path))).common_dir)] = None
        except UsageError:
            continue
    return list(found)
