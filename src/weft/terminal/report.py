"""What `weft report RUN` prints: one run from first to last, as text."""

from __future__ import annotations

from weft.board.report_rows import attempt_row, attempts_of, run_facts
from weft.board.views import JobView, RunView
from weft.model.plan import Mode
from weft.terminal.columns import columns
from weft.terminal.glyphs import UNICODE, Glyphs
from weft.terminal.plain import plain
from weft.terminal.project_summary import project_summary
from weft.terminal.summary import status_word, summary


def report_text(view: RunView, glyphs: Glyphs = UNICODE) -> str:
    """What the run was, the summary, then every attempt of every job."""
    lines = [f"{name}: {value}" for name, value in run_facts(view)]
    ending = project_summary(view, glyphs) if view.mode is Mode.PROJECTS else summary(view, glyphs)
    blocks = ["\n".join(lines), ending.rstrip("\n")]
    blocks += [_job_text(view, job) for job in view.jobs.values() if job.begun is not None]
    return "\n\n".join(blocks) + "\n"


def _job_text(view: RunView, job: JobView) -> str:
    head = plain(f"{view.label(job.key)} {job.job.title}: {status_word(view, job)}")
    rows = [attempt_row(name, attempt) for name, attempt in attempts_of(job)]
    details = [f"  {plain(line)}" for line in (job.detail or "").splitlines()]
    return "\n".join([head, *columns(rows, indent="  "), *details])
