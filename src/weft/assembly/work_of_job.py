"""Where a job's work is: its branch, its base, its workspace, its saved refs, as the journal has them and git knows."""

from __future__ import annotations

from pathlib import Path

import msgspec

from weft.assembly.history import History
from weft.board.views import RunView
from weft.model.events import WorkspaceReady
from weft.model.ids import JobKey, RunId
from weft.model.plan import Repo
from weft.settings.environment import Environment
from weft.workspaces.git import Git
from weft.workspaces.repository import Repository, find_repo


class Work(msgspec.Struct, frozen=True):
    """What a run did for a job."""

    run: RunId
    job: JobKey
    repo: Repo
    branch: str
    base: str
    """The commit the work is measured against."""
    commit: str | None
    """The branch's tip as the run last knew it."""
    saved: tuple[str, ...]
    path: Path
    """Where its workspace is or was."""
    status: str
    running: bool
    merged_into: str | None = None
    """The branch that it landed on."""

    @property
    def has_workspace(self) -> bool:
        return self.path.is_dir()


def work_of(history: History, run: RunId, job: JobKey) -> Work | None:
    """None where the run made no workspace for it."""
    ready = last_workspace(history, run, job)
    plan = history.plan(run)
    if ready is None or plan is None or ready.branch is None or ready.base is None:
        return None
    view: RunView = history.view(run)
    known = view.jobs[job]
    return Work(
        run=run,
        job=job,
        repo=plan.repo(job.repo),
        branch=ready.branch,
        base=ready.base,
        commit=known.commit,
        saved=known.saved,
        path=Path(ready.path),
        status=view.shown_status(known),
        running=known.in_flight and view.alive,
        merged_into=known.target if known.merged else None,
    )


def last_workspace(history: History, run: RunId, job: JobKey) -> WorkspaceReady | None:
    found = None
    for event in history.events(run):
        if isinstance(event, WorkspaceReady) and event.job == job:
            found = event
    return found


async def repository_of(work: Work, environment: Environment) -> Repository:
    git = Git(environment.variables)
    return Repository(git, await find_repo(git, Path(work.repo.path)))
