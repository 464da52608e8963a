"""`weft projects list` and `plan`: looking, without changing anything."""

from __future__ import annotations

from weft.assembly.history import open_history
from weft.assembly.maintenance import MaintenanceTask, catalogue
from weft.assembly.plan_projects import projects_plan
from weft.assembly.preflight import look_ahead
from weft.assembly.project_places import Place, places
from weft.assembly.project_run import ProjectRun
from weft.assembly.projects import ProjectsAsk
from weft.board.document import Document
from weft.cli.printing import print_json, print_text, stdout_glyphs
from weft.pipelines.duration import duration_text
from weft.settings.environment import Environment
from weft.settings.load import Loaded
from weft.terminal.columns import columns
from weft.terminal.preflight import preflight_document, preflight_text


def show_list(loaded: Loaded, environment: Environment, *, as_json: bool) -> None:
    found, tasks = places(loaded, environment), catalogue(loaded)
    if as_json:
        print_json({"projects": list(map(_project, found)), "tasks": list(map(_task, tasks.values()))})
        return
    rows = [[place.name, str(place.path), ", ".join(place.said.tasks) or "no tasks"] for place in found]
    lines = ["PROJECTS", *(columns(rows, indent="  ") or ["  none; list them under `[[projects]]` in weft.toml"])]
    lines += ["", "TASKS", *columns([_task_row(task) for task in tasks.values()], indent="  ")]
    print_text("\n".join(lines) + "\n")


def _project(place: Place) -> Document:
    said = place.said
    return {
        "name": place.name,
        "path": str(place.path),
        "tasks": list(said.tasks),
        "priority": said.priority,
        "backend": said.backend,
        "branch": said.branch,
    }


def _task(task: MaintenanceTask) -> Document:
    return {
        "name": task.name,
        "title": task.title,
        "cost_tier": task.cost_tier.value,
        "cooldown_seconds": task.cooldown,
        "enabled": task.enabled,
        "gates": {gate.name: gate.command for gate in task.gates},
        "prompt": task.prompt,
    }


def _task_row(task: MaintenanceTask) -> list[str]:
    rest = f"every {duration_text(task.cooldown)}" if task.cooldown else "every run"
    return [task.name, task.title, task.cost_tier.value, rest, "" if task.enabled else "off"]


async def show_plan(ask: ProjectsAsk, loaded: Loaded, environment: Environment, *, as_json: bool) -> None:
    with open_history(environment) as history:
        projects = ProjectRun(ask, loaded, environment, history.journal)
        candidates = await projects.look()
        plan = projects_plan(candidates, loaded, environment, ask.command)
        found = look_ahead(candidates, plan, loaded, history)
    if as_json:
        print_json(preflight_document(found))
        return
    print_text(preflight_text(found, stdout_glyphs()))
    if found.nothing:
        print_text(f"Nothing would run because: {found.nothing}\n")
