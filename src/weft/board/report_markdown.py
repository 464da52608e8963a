"""A run from first to last as Markdown, to keep or to paste: the same for every mode."""

from __future__ import annotations

from weft.board.durations import duration_text, money_text
from weft.board.markdown import markdown, markdown_table
from weft.board.projects import ProjectView, cancelled_why, project_errors, project_views
from weft.board.report_rows import attempt_row, attempts_of, run_facts
from weft.board.views import JobView, RunView
from weft.model.plan import Mode
from weft.model.project import LeftOut, Project


def report_markdown(view: RunView) -> str:
    lines = [f"# Run {markdown(view.run)}", ""]
    lines += [f"- {name}: {markdown(value)}" for name, value in run_facts(view)]
    lines += _projects(view) if view.mode is Mode.PROJECTS else []
    header = ["job", "title", "status", "branch", "duration", "cost", "reason"]
    lines += ["", *markdown_table(header, [_job_row(view, job) for job in view.jobs.values()])]
    for job in view.jobs.values():
        if job.begun is not None:
            lines += ["", *_job_markdown(view, job)]
    return "\n".join(lines) + "\n"


def _projects(view: RunView) -> list[str]:
    """Each project, then every error of all of them."""
    why, errors = cancelled_why(view), project_errors(view)
    lines = ["", f"**run cancelled: {markdown(why)}**"] if why else []
    header = ["project", "path", "status", "tasks", "reason"]
    lines += ["", "## Projects", "", *markdown_table(header, [_project_row(one) for one in project_views(view)])]
    left_out = [f"- {markdown(one.name)}: {markdown(left.task)}: {markdown(left.why)}" for one, left in _left_out(view)]
    lines += ["", "Not done this time:", "", *left_out] if left_out else []
    lines += ["", f"## Errors: {len(errors)}", ""]
    lines += [f"- {markdown(error.project)}: {markdown(error.message)}" for error in errors] or ["None."]
    return [*lines, "", "## Tasks"]


def _project_row(one: ProjectView) -> list[str]:
    word = one.status.value.replace("_", " ") if one.status else "unfinished"
    return [one.project.name, one.project.path, word, ", ".join(job.key.id for job in one.jobs), one.reason or ""]


def _left_out(view: RunView) -> list[tuple[Project, LeftOut]]:
    return [(project, left) for project in view.projects for left in project.left_out]


def _job_markdown(view: RunView, job: JobView) -> list[str]:
    header = ["phase", "attempt", "status", "duration", "agent", "gates", "reason"]
    rows = [attempt_row(name, attempt) for name, attempt in attempts_of(job)]
    lines = [f"## {markdown(f'{view.label(job.key)} {job.job.title}')}", "", *markdown_table(header, rows)]
    if job.workspace:
        lines += ["", f"Workspace kept: {markdown(job.workspace)}"]
    lines += ["", *(f"- saved: {markdown(ref)}" for ref in job.saved)] if job.saved else []
    return lines


def _job_row(view: RunView, job: JobView) -> list[str]:
    took = duration_text(job.elapsed(view.worked())) if job.begun is not None else ""
    cost = money_text(job.usage.cost_usd) if job.usage.sessions else ""
    word = view.shown_status(job).replace("_", " ")
    return [view.label(job.key), job.job.title, word, job.branch or "", took, cost, job.explained or ""]
