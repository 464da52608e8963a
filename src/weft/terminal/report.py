"""What `weft report RUN` prints: one run from first to last, as text or as Markdown."""

from __future__ import annotations

from weft.board.durations import duration_text, money_text
from weft.board.times import iso_time
from weft.board.views import AttemptView, JobView, RunView
from weft.model.outcome import GateResult
from weft.terminal.columns import columns, markdown, markdown_table
from weft.terminal.glyphs import UNICODE, Glyphs
from weft.terminal.plain import plain
from weft.terminal.summary import status_word, summary


def report_text(view: RunView, glyphs: Glyphs = UNICODE) -> str:
    """What the run was, the summary, then every attempt of every job."""
    lines = [f"{name}: {value}" for name, value in _facts(view)]
    blocks = ["\n".join(lines), summary(view, glyphs).rstrip("\n")]
    blocks += [_job_text(view, job) for job in view.jobs.values() if job.begun is not None]
    return "\n\n".join(blocks) + "\n"


def report_markdown(view: RunView) -> str:
    lines = [f"# Run {markdown(view.run)}", ""]
    lines += [f"- {name}: {markdown(value)}" for name, value in _facts(view)]
    header = ["job", "title", "status", "branch", "duration", "cost", "reason"]
    lines += ["", *markdown_table(header, [_job_row(view, job) for job in view.jobs.values()])]
    for job in view.jobs.values():
        if job.begun is not None:
            lines += ["", *_job_markdown(view, job)]
    return "\n".join(lines) + "\n"


def _facts(view: RunView) -> list[tuple[str, str]]:
    facts = [
        ("run", view.run),
        ("command", plain(view.command)),
        ("mode", view.mode.value),
        ("status", view.status.value),
        ("started", iso_time(view.started_at)),
        ("ended", "" if view.ended_at is None else iso_time(view.ended_at)),
        ("duration", duration_text(view.duration())),
        ("sessions", str(view.usage.sessions)),
        ("cost", money_text(view.usage.cost_usd) if view.usage.sessions else ""),
    ]
    return [(name, value) for name, value in facts if value]


def _job_text(view: RunView, job: JobView) -> str:
    head = plain(f"{view.label(job.key)} {job.job.title}: {status_word(view, job)}")
    rows = [_attempt_row(name, attempt) for name, attempt in _attempts(job)]
    details = [f"  {plain(line)}" for line in (job.detail or "").splitlines()]
    return "\n".join([head, *columns(rows, indent="  "), *details])


def _job_markdown(view: RunView, job: JobView) -> list[str]:
    header = ["phase", "attempt", "status", "duration", "agent", "gates", "reason"]
    rows = [_attempt_row(name, attempt) for name, attempt in _attempts(job)]
    lines = [f"## {markdown(f'{view.label(job.key)} {job.job.title}')}", "", *markdown_table(header, rows)]
    if job.workspace:
        lines += ["", f"Workspace kept: {markdown(job.workspace)}"]
    lines += ["", *(f"- saved: {markdown(ref)}" for ref in job.saved)] if job.saved else []
    return lines


def _attempts(job: JobView) -> list[tuple[str, AttemptView]]:
    """In the order they began."""
    found = [(phase.name, attempt) for phase in job.phases for attempt in phase.attempts]
    return sorted(found, key=lambda pair: pair[1].started_at)


def _attempt_row(phase: str, attempt: AttemptView) -> list[str]:
    agent = f"{attempt.agent or ''} {attempt.model or ''}".strip()
    return [
        phase,
        f"attempt {attempt.number}",
        attempt.status.value if attempt.status else "running",
        "" if attempt.duration is None else duration_text(attempt.duration),
        agent,
        ", ".join(map(_gate, attempt.gates)),
        attempt.reason or "",
    ]


def _gate(result: GateResult) -> str:
    return f"{result.name} {'passed' if result.passed else f'failed ({result.exit_status})'}"


def _job_row(view: RunView, job: JobView) -> list[str]:
    took = duration_text(job.elapsed(view.worked())) if job.begun is not None else ""
    cost = money_text(job.usage.cost_usd) if job.usage.sessions else ""
    word = status_word(view, job)
    return [view.label(job.key), job.job.title, word, job.branch or "", took, cost, job.explained or ""]
