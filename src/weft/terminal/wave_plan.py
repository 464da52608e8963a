"""A wave's plan for people: order, levels, critical path, repos, and how long it may take (WAVE-8)."""

from __future__ import annotations

from weft.assembly.outlook import Outlook
from weft.assembly.wave_outlook import WaveOutlook
from weft.board.durations import duration_text, money_text
from weft.model.ids import JobKey
from weft.model.job import Job
from weft.model.plan import Plan, Repo
from weft.terminal.columns import columns
from weft.terminal.glyphs import UNICODE, Glyphs
from weft.terminal.plain import plain


def wave_plan_text(wave: WaveOutlook, glyphs: Glyphs = UNICODE) -> str:
    plan, found = wave.plan, wave.found
    jobs = {job.key: job for job in plan.jobs}
    arrow = f" {glyphs.arrow} "
    blocks = [
        [_header(plan, found, glyphs)],
        _block("ORDER", [_order_row(jobs[key], found, number) for number, key in enumerate(found.order, 1)]),
        _block("LEVELS", [[f"{number}.", _keys(level)] for number, level in enumerate(found.levels, 1)]),
        ["CRITICAL PATH", f"  {plain(arrow.join(map(str, found.critical_path)))}"] if found.critical_path else [],
        _block("NOT RUN", [_ended_row(jobs[key], found) for key in found.ended]),
        _block("REPOS", [_repo_row(plan, repo) for repo in plan.repos]),
        ["ESTIMATE", *(f"  {line}" for line in _estimate(wave))] if found.order else [],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _header(plan: Plan, found: Outlook, glyphs: Glyphs) -> str:
    count = len(found.order)
    repos = len(plan.repos)
    parts = [
        f"WAVE {plan.name}",
        f"{count} issue{'' if count == 1 else 's'} to do",
        f"{repos} repo{'' if repos == 1 else 's'}",
        f"cap {plan.cap}",
    ]
    return plain(f" {glyphs.dot} ".join(parts))


def _block(title: str, rows: list[list[str]]) -> list[str]:
    return [title, *columns(rows, indent="  ")] if rows else []


def _order_row(job: Job, found: Outlook, number: int) -> list[str]:
    needs = [str(need) for need in job.depends_on if need not in found.ended]
    return [f"{number}.", str(job.key), job.title, f"after {', '.join(needs)}" if needs else ""]


def _ended_row(job: Job, found: Outlook) -> list[str]:
    end = found.ended[job.key]
    return [str(job.key), job.title, end.status.value.replace("_", " "), end.reason or ""]


def _keys(keys: tuple[JobKey, ...]) -> str:
    return ", ".join(map(str, keys))


def _repo_row(plan: Plan, repo: Repo) -> list[str]:
    width = next((lane.width for lane in plan.lanes if lane.name == repo.name), 1)
    gates = ", ".join(gate.name for gate in repo.gates) or "none"
    target = f"into {repo.merge.target}" if repo.merge else ""
    return [repo.name, repo.path, f"from {repo.base[:12]}", target, f"{width} at once", f"gates {gates}"]


def _estimate(wave: WaveOutlook) -> list[str]:
    estimate, cap = wave.found.estimate, wave.plan.cap
    if not wave.timed:
        return [
            f"time unknown: no attempt at {', '.join(wave.found.unknown)} has passed in these repos yet",
            f"if all take equally long: as long as {wave.makespan:g} of them, with a cap of {cap}",
        ]
    cost = "cost unknown" if estimate.cost_usd is None else f"about {money_text(estimate.cost_usd)}"
    return [f"{duration_text(wave.work)} of work, about {duration_text(wave.makespan)} with a cap of {cap}", cost]
