"""What every report of a run says, whatever its form."""

from __future__ import annotations

from weft.board.durations import duration_text, money_text
from weft.board.merging import flaky_gates
from weft.board.plain import plain
from weft.board.queue_view import QueueView
from weft.board.times import iso_time
from weft.board.views import AttemptView, JobView, RunView
from weft.model.ids import JobKey
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
        *(("merged into", _target(queue)) for queue in view.queues.values()),
        ("flaky gates", ", ".join(f"{gate} ({_jobs(view, jobs)})" for gate, jobs in flaky_gates(view).items())),
    ]
    return [(name, value) for name, value in facts if value]


def _target(queue: QueueView) -> str:
    left = f", {len(queue.items)} in the queue" if queue.items else ""
    stuck = f", {queue.stuck}" if queue.stuck else ""
    return f"{queue.target} of {queue.repo}: {queue.landed} landed{left}{stuck}"


def _jobs(view: RunView, keys: list[JobKey]) -> str:
    return ", ".join(map(view.label, keys))


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
        ", ".join(_gate(result, flaky=result.name in attempt.flaky) for result in attempt.gates),
        attempt.reason or "",
    ]


def _gate(result: GateResult, *, flaky: bool) -> str:
    how = "passed" if result.passed else f"failed ({result.exit_status})"
    return f"{result.name} {how}" + (" the second time" if flaky else "")
