"""Which agent session an attempt had when Weft died under it, read off the beginning of its transcript (RECOVER-3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

from weft.agents.registry import make_agent
from weft.model.events import AnyEvent, RunStarted
from weft.model.ids import AttemptId
from weft.model.layout import Layout
from weft.model.phase import StepKind
from weft.model.plan import Plan
from weft.ports import SessionRequest

_LINES = 200
"""Every agent names its session in one of its first lines."""
_LONGEST = 1024 * 1024


def session_finder(layout: Layout, past: Iterable[AnyEvent]) -> Callable[[AttemptId], str | None]:
    """Answers the session's id where its phase is to be gone on with and its agent can, else None."""
    plan = next((event.plan for event in past if isinstance(event, RunStarted)), None)
    return lambda attempt: _session(layout, plan, attempt) if plan is not None else None


def _session(layout: Layout, plan: Plan, attempt: AttemptId) -> str | None:
    job = next(job for job in plan.jobs if job.key == attempt.job)
    pipeline = plan.pipeline(job.pipeline)
    phase = pipeline.phases[pipeline.index(attempt.phase)]
    if not phase.recovers:
        return None
    spec = plan.agent(phase.agent)
    agent = make_agent(spec.kind)
    if not agent.resumes(spec):
        return None
    nowhere = Path()
    request = SessionRequest(attempt, job, phase, spec, "", nowhere, nowhere, nowhere, {})
    reader = agent.reader(request)
    for line in _beginning(Path(layout.transcript(attempt, StepKind.SESSION))):
        reader.feed(line)
    return reader.outcome(1, "").session_id


def _beginning(transcript: Path) -> list[bytes]:
    """Whole lines alone: the last may have been cut off with the process that wrote it."""
    try:
        with transcript.open("rb") as file:
            return [
                line.rstrip(b"\n") for line in islice(file, _LINES) if line.endswith(b"\n") and len(line) < _LONGEST
            ]
    except FileNotFoundError:
        return []
