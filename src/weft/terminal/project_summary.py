"""The end of a run over projects (PROJ-6, PROJ-7): each project, every error, why it was cancelled."""

from __future__ import annotations

from collections.abc import Sequence

from weft.board.durations import money_text, whole_duration_text
from weft.board.projects import ProjectView, cancelled_why, project_errors, project_views
from weft.board.views import JobView, RunView
from weft.model.job import JobStatus
from weft.terminal.columns import columns
from weft.terminal.glyphs import UNICODE, Glyphs
from weft.terminal.plain import plain

HEADING = "=== Run Complete ==="
_HELD_UP = (JobStatus.NOT_RUN, JobStatus.LOCKED)
_GREEN, _RED, _BOLD, _PLAIN = "\x1b[32m", "\x1b[31m", "\x1b[1m", "\x1b[0m"


def project_summary(
    view: RunView, glyphs: Glyphs = UNICODE, *, colour: bool = False, reports: Sequence[object] = ()
) -> str:
    paint = _paint if colour else _no_paint
    projects = project_views(view)
    lines = [paint(HEADING, _BOLD), _header(view, projects, glyphs)]
    rows = columns([_row(project, glyphs) for project in projects])
    lines += [paint(row, _colour(project)) for row, project in zip(rows, projects, strict=True)]
    errors = project_errors(view)
    if errors:
        lines.append(paint(f"errors: {len(errors)}", _RED))
        lines += [f"  {plain(error.project)}: {plain(error.message)}" for error in errors]
    why = cancelled_why(view)
    lines += [paint(f"run cancelled: {why}", _RED)] if why else []
    lines += [f"report: {path}" for path in reports]
    return "\n".join(lines) + "\n"


def _header(view: RunView, projects: Sequence[ProjectView], glyphs: Glyphs) -> str:
    words = [project.status.value.replace("_", " ") if project.status else "unfinished" for project in projects]
    counts = [f"{words.count(word)} {word}" for word in dict.fromkeys(words)]
    cost = [money_text(view.usage.cost_usd)] if view.usage.sessions else []
    total = f"{len(projects)} {'project' if len(projects) == 1 else 'projects'}"
    parts = [f"run {view.run}", total, whole_duration_text(view.duration()), *cost, *counts]
    return f" {glyphs.dot} ".join(parts)


def _row(view: ProjectView, glyphs: Glyphs) -> list[str]:
    status = view.status
    mark = glyphs.heavy_tick if status in (JobStatus.PASSED, JobStatus.NO_CHANGE) else glyphs.mark(status)
    word = status.value.replace("_", " ") if status else "unfinished"
    tasks = ", ".join(map(_task, view.jobs))
    return [mark, view.project.name, word, tasks or (view.reason or "")]


def _task(job: JobView) -> str:
    """What failed is told among the errors; what was held up is told here."""
    word = f"{job.key.id} {job.status.value.replace('_', ' ') if job.status else 'unfinished'}"
    if job.status is JobStatus.PASSED and job.branch:
        return f"{word} ({job.branch})"
    return f"{word}: {job.explained}" if job.status in _HELD_UP and job.explained else word


def _colour(view: ProjectView) -> str:
    return {JobStatus.PASSED: _GREEN, JobStatus.NO_CHANGE: _GREEN, JobStatus.FAILED: _RED}.get(
        view.status or JobStatus.SKIPPED, ""
    )


def _paint(text: str, colour: str) -> str:
    return f"{colour}{text}{_PLAIN}" if colour else text


def _no_paint(text: str, colour: str) -> str:
    return text
