"""What `--json` prints of runs: the keys and their order are fixed, scripts rely on them.

A run's `status` is a `RunStatus`. A job's is how it ended, or `waiting`, `running`, `interrupted` until it has. A
phase's is a `PhaseState`. What is not known yet is null: `ended_at` and `exit_code` of a run under way, an unknown
cost.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from weft.board.inbox import InboxItem, inbox_document
from weft.board.merge_document import landing_part, merge_part
from weft.board.projects import projects_part
from weft.board.times import iso_time
from weft.board.views import JobView, PhaseView, RunView
from weft.errors import ExitCode
from weft.model.plan import Mode
from weft.model.usage import Usage

Document = dict[str, Any]


def run_document(view: RunView, exit_code: ExitCode | None = None, now: float | None = None) -> Document:
    """`exit_code`: the command's, where it differs from what the run comes to. `now`: for a run under way."""
    code = view.exit_code if exit_code is None else exit_code
    worked = view.worked(now)
    document = {
        "run": view.run,
        "mode": view.mode.value,
        "status": view.status.value,
        "started_at": iso_time(view.started_at),
        "ended_at": None if view.ended_at is None else iso_time(view.ended_at),
        "duration_seconds": _seconds(view.duration(now)),
        "exit_code": None if code is None else int(code),
        "jobs": [_job(view, job, worked) for job in view.jobs.values()],
    }
    if view.api_calls:
        document["api_calls"] = view.api_calls
    return document | projects_part(view) if view.mode is Mode.PROJECTS else document


def status_document(
    views: Iterable[RunView], now: float | None = None, items: Iterable[InboxItem] | None = None
) -> Document:
    """Of `weft status`: what needs a person, and runs as above, plus what the scheduler is at."""
    needs = {} if items is None else {"inbox": inbox_document(items)}
    return needs | {"runs": [_with_levers(view, now) for view in views]}


def _with_levers(view: RunView, now: float | None) -> Document:
    levers = {"cap": view.cap, "paused": view.paused, "in_flight": view.in_flight, "waiting": view.waiting}
    levers["queued"] = len(view.queued)
    return run_document(view, now=now) | levers | _limits(view) | merge_part(view)


def _limits(view: RunView) -> Document:
    """What limits the run besides the cap that was asked for, the limit that holds first."""
    limits = [
        {"source": source.value, "cap": limit.cap, "why": limit.why}
        for source, limit in view.limits.items()
        if limit.cap is not None or limit.why
    ]
    limits.sort(key=lambda limit: (limit["cap"] is None, limit["cap"] or 0))
    meters = [{"name": meter.name, "percent": meter.percent} for meter in view.meters]
    return {"cap_asked": view.cap_asked, "limits": limits, "usage_meters": meters}


def _job(view: RunView, job: JobView, worked: float) -> Document:
    return (
        {
            "key": str(job.key),
            "issue": job.key.id,
            "title": job.job.title,
            "status": view.shown_status(job),
            "reason": job.explained,
            "phases": [_phase(phase, worked) for phase in job.phases],
            "branch": job.branch,
            "commit": job.commit,
            "merged": job.merged,
            "pull_request": job.pull_request,
            "duration_seconds": _seconds(job.elapsed(worked)),
            "usage": _usage(job.usage),
        }
        | landing_part(job)
        | _pull_request(job)
    )


def _pull_request(job: JobView) -> Document:
    return {"pull_request_url": job.pull_request_url} if job.pull_request_url else {}


def _phase(phase: PhaseView, worked: float) -> Document:
    return {
        "name": phase.name,
        "status": phase.state.value,
        "attempts": len(phase.attempts),
        "duration_seconds": _seconds(phase.duration(worked)),
    }


def _usage(usage: Usage) -> Document:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
        "cost_usd": usage.cost_usd,
        "sessions": usage.sessions,
    }


def _seconds(value: float) -> float:
    return round(float(value), 3)
