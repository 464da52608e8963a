"""Workspaces on this machine: git worktrees under the state folder, furnished by the warden."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from weft.execution.setup import run_setup
from weft.model.ids import RunId
from weft.model.layout import Layout
from weft.model.plan import Plan
from weft.processes import Warden
from weft.settings.environment import Environment
from weft.workspaces.git import Git
from weft.workspaces.merges import GitMerges
from weft.workspaces.worktrees import GitWorkspaces

FOLDER = "worktrees"


def worktrees_folder(layout: Layout) -> Path:
    return Path(layout.root) / FOLDER


def make_workspaces(
    environment: Environment,
    layout: Layout,
    warden: Warden,
    run: RunId,
    plan: Plan,
    gates: Mapping[str, Mapping[str, str]],
) -> tuple[GitWorkspaces, GitMerges]:
    """Those of jobs, and what merges their branches."""

    repos = {Path(repo.path).resolve(): repo for repo in plan.repos}

    async def furnish(command: str, folder: Path, log_name: str, checkout: Path) -> tuple[int, str]:
        """Set-up commands run like gates do: they are the repo's own, with the repo's own variables."""
        repo = repos[checkout]
        marked = {**gates[repo.name], "WEFT_ATTEMPT": f"{run}/{log_name}"}
        log = Path(layout.run(run)) / f"{log_name}.log"
        return await run_setup(warden, command, folder, log, marked, repo.workspace.timeout, plan.grace)

    workspaces = GitWorkspaces(worktrees_folder(layout), Git(environment.variables), furnish)
    return workspaces, GitMerges(workspaces.sites, furnish)
