"""`weft run --dry-run`: what would run, in which order, under which limits (RUN-19)."""

from __future__ import annotations

from weft.assembly.history import History
from weft.assembly.outlook import Outlook, outlook
from weft.board.document import Document
from weft.board.durations import duration_text as about
from weft.board.durations import money_text
from weft.cli.interrupted import interrupted_in, warn_interrupted
from weft.cli.printing import print_json, print_text, stdout_glyphs
from weft.model.ids import JobKey
from weft.model.job import Job
from weft.model.phase import Phase
from weft.model.plan import Plan, Repo
from weft.pipelines.duration import duration_text
from weft.settings.environment import Environment
from weft.terminal.columns import columns
from weft.terminal.glyphs import UNICODE, Glyphs


def show_plan(plan: Plan, history: History, environment: Environment, *, as_json: bool) -> None:
    found = outlook(plan, history.past({repo.path for repo in plan.repos}))
    warn_interrupted(history.journal, environment, plan)
    if as_json:
        dead = [record.run for record in interrupted_in(history.journal, environment, plan)]
        print_json(plan_document(plan, found) | {"interrupted_runs": dead})
    else:
        print_text(plan_text(plan, found, stdout_glyphs()))


# ---------------------------------------------------------------- for people


def plan_text(plan: Plan, found: Outlook, glyphs: Glyphs = UNICODE) -> str:
    blocks = [
        [_header(plan, found, glyphs)],
        _block("ORDER", [_order_row(plan, found, number, key) for number, key in enumerate(found.order, 1)]),
        _block("NOT RUN", [_ended_row(plan, found, key) for key in found.ended]),
        _block("PHASES", [_phase_row(plan, phase) for line in plan.pipelines for phase in line.phases]),
        _block("GATES", [row for repo in plan.repos for row in _gate_rows(repo)]),
        ["ESTIMATE", *(f"  {line}" for line in _estimate_lines(plan, found))] if found.order else [],
        ["Nothing was changed"],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _header(plan: Plan, found: Outlook, glyphs: Glyphs) -> str:
    loops = sorted({line.quality_loop for line in plan.pipelines})
    bases = [repo.base[:12] for repo in plan.repos]
    parts = ["DRY RUN", plan.mode.value, f"{len(found.order)} to run", f"cap {plan.cap}", f"from {', '.join(bases)}"]
    parts += [f"quality loop {', '.join(map(str, loops))}", f"on failure {plan.stop.value.replace('_', ' ')}"]
    return f" {glyphs.dot} ".join(parts)


def _block(title: str, rows: list[list[str]]) -> list[str]:
    return [title, *columns(rows, indent="  ")] if rows else []


def _order_row(plan: Plan, found: Outlook, number: int, key: JobKey) -> list[str]:
    job = _job(plan, key)
    needs = [f"#{need.id}" for need in job.depends_on if need not in found.ended]
    return [f"{number}.", f"#{key.id}", job.title, job.branch or "", f"after {', '.join(needs)}" if needs else ""]


def _ended_row(plan: Plan, found: Outlook, key: JobKey) -> list[str]:
    end = found.ended[key]
    return [f"#{key.id}", _job(plan, key).title, end.status.value.replace("_", " "), end.reason or ""]


def _phase_row(plan: Plan, phase: Phase) -> list[str]:
    steps = " then ".join(step.value for step in phase.steps)
    retry = phase.retry
    times = "once" if retry.times == 1 else f"{retry.times} times"
    again = f"tried again {times}, after {duration_text(retry.backoff)}" if retry.times else ""
    return [phase.name, steps, _agent(plan, phase), f"at most {duration_text(phase.timeout)}", again]


def _agent(plan: Plan, phase: Phase) -> str:
    model = _model(plan, phase)
    return f"{phase.agent} ({model})" if model else phase.agent


def _gate_rows(repo: Repo) -> list[list[str]]:
    rows = [[gate.name, f"`{gate.command}`", f"at most {duration_text(gate.timeout)}"] for gate in repo.gates]
    return rows or [["none", "", ""]]


def _estimate_lines(plan: Plan, found: Outlook) -> list[str]:
    estimate = found.estimate
    if estimate.work_seconds is None or estimate.wall_seconds is None:
        return [f"time and cost unknown: no attempt at {', '.join(found.unknown)} has passed in this repo yet"]
    time = f"{about(estimate.work_seconds)} of work, at least {about(estimate.wall_seconds)}"
    cost = "cost unknown" if estimate.cost_usd is None else f"about {money_text(estimate.cost_usd)}"
    return [f"{time} with a cap of {plan.cap}", cost]


# ---------------------------------------------------------------- for programs


def plan_document(plan: Plan, found: Outlook) -> Document:
    """`jobs`, `order`, `levels`, `critical_path` and `cap` as every plan has them; then limits and estimate."""
    estimate = found.estimate
    return {
        "dry_run": True,
        "mode": plan.mode.value,
        "cap": plan.cap,
        "jobs": [_job_document(plan, found, job) for job in plan.jobs],
        "order": [str(key) for key in found.order],
        "levels": [[str(key) for key in level] for level in found.levels],
        "critical_path": [str(key) for key in found.critical_path],
        "limits": _limits(plan),
        "estimate": {
            "work_seconds": estimate.work_seconds,
            "wall_seconds": estimate.wall_seconds,
            "cost_usd": estimate.cost_usd,
            "unknown_phases": list(found.unknown),
        },
    }


def _job_document(plan: Plan, found: Outlook, job: Job) -> Document:
    end = found.ended.get(job.key)
    return {
        "key": str(job.key),
        "issue": job.key.id,
        "title": job.title,
        "branch": job.branch,
        "status": end.status.value if end else "to_run",
        "reason": end.reason if end else None,
        "depends_on": [str(need) for need in job.depends_on],
        "phases": [phase.name for phase in plan.pipeline(job.pipeline).phases],
    }


def _limits(plan: Plan) -> Document:
    return {
        "stop": plan.stop.value,
        "grace_seconds": plan.grace,
        "quality_loop": {line.name: line.quality_loop for line in plan.pipelines},
        "phases": [_phase_document(plan, phase) for line in plan.pipelines for phase in line.phases],
        "gates": [
            {"repo": repo.name, "name": gate.name, "command": gate.command, "timeout_seconds": gate.timeout}
            for repo in plan.repos
            for gate in repo.gates
        ],
        "agents": {agent.name: {"model": agent.model, "max_sessions": agent.max_sessions} for agent in plan.agents},
    }


def _phase_document(plan: Plan, phase: Phase) -> Document:
    return {
        "name": phase.name,
        "steps": [step.value for step in phase.steps],
        "agent": phase.agent,
        "model": _model(plan, phase),
        "timeout_seconds": phase.timeout,
        "retries": phase.retry.times,
    }


def _model(plan: Plan, phase: Phase) -> str | None:
    return phase.model or next((agent.model for agent in plan.agents if agent.name == phase.agent), None)


def _job(plan: Plan, key: JobKey) -> Job:
    return next(job for job in plan.jobs if job.key == key)
