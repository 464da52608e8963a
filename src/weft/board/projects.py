"""What a run comes to for each project, and every error of every one of them (PROJ-6)."""

from __future__ import annotations

from typing import Any

import msgspec

from weft.board.exit_codes import is_failure
from weft.board.views import JobView, RunView
from weft.model.job import JobStatus
from weft.model.plan import Mode
from weft.model.project import Project

_WORST_FIRST = (
    JobStatus.FAILED,
    JobStatus.PARKED,
    JobStatus.CANCELLED,
    JobStatus.LOCKED,
    JobStatus.NOT_RUN,
    JobStatus.PASSED,
    JobStatus.NO_CHANGE,
    JobStatus.SKIPPED,
)


class ProjectView(msgspec.Struct, frozen=True):
    """A project with its jobs of this run."""

    project: Project
    jobs: tuple[JobView, ...]

    @property
    def status(self) -> JobStatus | None:
        """The worst of its tasks'; None while one has not ended."""
        if self.project.problem is not None:
            return JobStatus.FAILED
        if not self.jobs:
            return JobStatus.SKIPPED
        ended = {job.status for job in self.jobs}
        return None if None in ended else next(status for status in _WORST_FIRST if status in ended)

    @property
    def reason(self) -> str | None:
        """Why nothing was done, or what went wrong, of the first task that something went wrong with."""
        if not self.jobs:
            return self.project.problem or self.project.skipped
        wrong = next((job for job in self.jobs if job.status not in _FINE), None)
        return f"{wrong.key.id}: {wrong.explained}" if wrong is not None and wrong.explained else None


class ProjectError(msgspec.Struct, frozen=True):
    project: str
    message: str


_FINE = (None, JobStatus.PASSED, JobStatus.NO_CHANGE, JobStatus.SKIPPED)


def project_views(view: RunView) -> list[ProjectView]:
    jobs: dict[str, list[JobView]] = {}
    for job in view.jobs.values():
        jobs.setdefault(job.key.repo, []).append(job)
    return [ProjectView(project, tuple(jobs.get(project.name, ()))) for project in view.projects]


def project_errors(view: RunView) -> list[ProjectError]:
    """All of them, in the projects' order. What a signal stopped is no error of its project."""
    stopped = view.stop_signal is not None
    return [error for project in project_views(view) for error in _errors(project, stopped=stopped)]


def _errors(view: ProjectView, *, stopped: bool) -> list[ProjectError]:
    name = view.project.name
    if view.project.problem is not None:
        return [ProjectError(name, view.project.problem)]
    errors = []
    for job in view.jobs:
        if _is_error(job.status, stopped=stopped):
            errors.append(ProjectError(name, f"{job.key.id}: {job.explained or 'failed'}"))
        if job.problem:
            errors.append(ProjectError(name, f"{job.key.id}: {job.problem}"))
    return errors


def _is_error(status: JobStatus | None, *, stopped: bool) -> bool:
    if status is None or (stopped and status is JobStatus.CANCELLED):
        return False
    return is_failure(Mode.PROJECTS, status)


def cancelled_why(view: RunView) -> str | None:
    """`SIGTERM`: what ended the run before its time."""
    return None if view.stop_signal is None else _SIGNALS.get(view.stop_signal, f"signal {view.stop_signal}")


_SIGNALS = {2: "interrupted (SIGINT)", 15: "told to stop (SIGTERM)", 1: "the terminal is gone (SIGHUP)"}


def projects_part(view: RunView) -> dict[str, Any]:
    """What `--json` adds for a run over projects."""
    return {
        "projects": [project_document(project) for project in project_views(view)],
        "errors": [msgspec.to_builtins(error) for error in project_errors(view)],
        "cancelled": cancelled_why(view),
    }


def project_document(view: ProjectView) -> dict[str, Any]:
    return {
        "path": view.project.path,
        "name": view.project.name,
        "status": "running" if view.status is None else view.status.value,
        "reason": view.reason,
        "tasks": [str(job.key) for job in view.jobs],
        "left_out": [msgspec.to_builtins(one) for one in view.project.left_out],
    }
