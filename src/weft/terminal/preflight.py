"""The preflight of a run over projects, for people and for programs."""

from __future__ import annotations

from typing import Any

from weft.assembly.preflight import Preflight
from weft.assembly.projects import Candidate
from weft.board.durations import duration_text, money_text
from weft.terminal.columns import columns
from weft.terminal.glyphs import UNICODE, Glyphs


def preflight_text(found: Preflight, glyphs: Glyphs = UNICODE) -> str:
    lines = [f"mode: {found.mode}"]
    lines += [f"warning: {found.warning}"] if found.warning else []
    lines += ["projects:", *columns([_row(one, glyphs) for one in found.candidates], indent="  ")]
    lines += [f"budget: {_budget(found)}", f"cost: {_cost(found)}"]
    return "\n".join(lines) + "\n"


def _row(candidate: Candidate, glyphs: Glyphs) -> list[str]:
    project = candidate.project
    if project.problem:
        return [glyphs.cross, project.name, f"cannot run: {project.problem}"]
    if not candidate.eligible:
        return [glyphs.dash, project.name, f"skipped: {project.skipped}"]
    tasks = ", ".join(task.name for task in candidate.tasks)
    left = [f"{one.task}: {one.why}" for one in project.left_out]
    return [glyphs.tick, project.name, tasks + (f" (without {'; '.join(left)})" if left else "")]


def _budget(found: Preflight) -> str:
    said = [f"{name} {_amount(name, value)}" for name, value in found.budget.items()]
    return ", ".join(said) or "none set"


def _amount(name: str, value: float) -> str:
    return money_text(value) if name.endswith("_usd") else f"{value:,.0f}"


def _cost(found: Preflight) -> str:
    tasks = sum(found.tiers.values())
    if not tasks:
        return "nothing"
    tiers = ", ".join(f"{count} {tier.value}" for tier, count in found.tiers.items())
    head = f"{tasks} {'task' if tasks == 1 else 'tasks'} ({tiers}), {_agents(found.agents)}"
    if found.estimate.wall_seconds is None:
        return f"{head}; how much is unknown, no such task has passed yet"
    money = "an unknown amount" if found.estimate.cost_usd is None else f"about {money_text(found.estimate.cost_usd)}"
    return f"{head}; {money}, at least {duration_text(found.estimate.wall_seconds)}, by what earlier tasks took"


def _agents(count: int) -> str:
    return "one agent at a time" if count == 1 else f"{count} agents at once"


def preflight_document(found: Preflight) -> dict[str, Any]:
    return {
        "mode": found.mode,
        "agents": found.agents,
        "warning": found.warning,
        "projects": [_document(candidate) for candidate in found.candidates],
        "budget": found.budget,
        "cost": {
            "tiers": {tier.value: count for tier, count in found.tiers.items()},
            "usd": found.estimate.cost_usd,
            "wall_seconds": found.estimate.wall_seconds,
        },
        "nothing": found.nothing,
    }


def _document(candidate: Candidate) -> dict[str, Any]:
    project = candidate.project
    status = "failed" if project.problem else "eligible" if candidate.eligible else "skipped"
    return {
        "path": project.path,
        "name": project.name,
        "status": status,
        "reason": project.problem or project.skipped,
        "tasks": [str(job.key) for job in candidate.jobs],
        "left_out": [{"task": one.task, "why": one.why} for one in project.left_out],
    }
