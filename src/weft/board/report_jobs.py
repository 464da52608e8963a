"""Jobs on the page of a run: a row each, and every attempt for who wants to see it."""

from __future__ import annotations

from weft.board.durations import duration_text, money_text
from weft.board.html import table, tag, text
from weft.board.report_rows import attempt_row, attempts_of
from weft.board.states import PhaseState
from weft.board.views import AttemptView, JobView, PhaseView, RunView

_MARKS = {PhaseState.PASSED: "✔", PhaseState.FAILED: "✖", PhaseState.RUNNING: "…", PhaseState.RETRYING: "↻"}
_LONGEST_TAIL = 4000


def word(status: str) -> str:
    """A status, in its colour."""
    return tag("span", text(status.replace("_", " ")), class_=f"r-word r-{status}")


def job_row(view: RunView, job: JobView) -> list[str]:
    took = duration_text(job.elapsed(view.worked())) if job.begun is not None else ""
    cost = money_text(job.usage.cost_usd) if job.usage.sessions else ""
    return [
        tag("a", text(view.label(job.key)), href=f"#{_anchor(job)}")
        if job.begun is not None
        else text(view.label(job.key)),
        text(job.job.title),
        word(view.shown_status(job)),
        tag("span", "".join(_phase(phase) for phase in job.phases), class_="r-phases"),
        _branch(job),
        tag("span", text(took), class_="r-num"),
        tag("span", text(cost), class_="r-num"),
        text(job.explained or ""),
    ]


def _anchor(job: JobView) -> str:
    return f"job-{job.key}"


def _phase(phase: PhaseView) -> str:
    tries = f" ×{phase.tries}" if phase.tries > 1 else ""
    mark = _MARKS.get(phase.state, "·")
    return tag("span", f"{mark} {text(phase.name)}{tries}", class_=f"r-{phase.state.value}", title=phase.state.value)


def _branch(job: JobView) -> str:
    lines = [tag("code", text(job.branch))] if job.branch else []
    if job.landed:
        lines.append(text(f"landed on {job.target or 'the target'} as {job.landed[:12]}"))
    if job.pull_request is not None:
        lines.append(_link(f"pull request #{job.pull_request}", job.pull_request_url))
    return "<br>".join(lines)


def _link(words: str, url: str | None) -> str:
    """Only to the web: an address is somebody's text too."""
    if url and url.startswith(("https://", "http://")):
        return tag("a", text(words), href=url, rel="noreferrer")
    return text(words)


def job_details(view: RunView, job: JobView) -> str:
    """All attempts, what gates printed, what is kept; folded up."""
    head = f"{text(view.label(job.key))} {text(job.job.title)} {word(view.shown_status(job))}"
    header = ["phase", "attempt", "status", "duration", "agent", "gates", "reason"]
    attempts = attempts_of(job)
    rows = [[text(cell) for cell in attempt_row(name, attempt)] for name, attempt in attempts]
    parts = [table(header, rows)]
    parts += [part for name, attempt in attempts for part in _red_gates(name, attempt)]
    if job.detail:
        parts.append(tag("pre", text(job.detail[-_LONGEST_TAIL:])))
    kept = [f"Workspace kept: {job.workspace}"] if job.workspace else []
    kept += [f"Saved: {ref}" for ref in job.saved] + [f"A person answered: {answer}" for answer in job.answers]
    parts += [tag("p", text(line), class_="r-dim") for line in kept]
    return tag("details", tag("summary", head) + "\n".join(parts), id=_anchor(job))


def _red_gates(phase: str, attempt: AttemptView) -> list[str]:
    return [
        tag("p", f"{text(phase)} attempt {attempt.number}, gate {tag('code', text(gate.command))}:")
        + tag("pre", text(gate.tail[-_LONGEST_TAIL:]))
        for gate in attempt.gates
        if not gate.passed and gate.tail
    ]
