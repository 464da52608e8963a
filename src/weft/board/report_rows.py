"""What every report of a run says, whatever its form."""

from __future__ import annotations

from weft.board.durations import duration_text, money_text
from weft.board.plain import plain
from weft.board.times import iso_time
from weft.board.views import AttemptView, JobView, RunView
from weft.model.outcome import GateResult


def run_facts(view: RunView) -> list[tuple[str, str]]:
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


def attempts_of(job: JobView) -> list[tuple[str, AttemptView]]:
    """In the order they began."""
    found = [(phase.name, attempt) for phase in job.phases for attempt in phase.attempts]
    return sorted(found, key=lambda pair: pair[1].started_at)


def attempt_row(phase: str, attempt: AttemptView) -> list[str]:
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
