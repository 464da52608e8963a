"""What is wrong between projects, their tasks and their agents."""

from __future__ import annotations

from collections.abc import Iterator

from weft.model.spelling import closest
from weft.settings.agents import agent_names
from weft.settings.built_in_tasks import built_in_names
from weft.settings.problem import KeyPath, Origins, dotted, origin_of, wrong_value
from weft.settings.sections import Settings


def projects_wrong(settings: Settings, origins: Origins) -> Iterator[str]:
    """Tasks that nobody describes, projects that name what is not there, names that two projects share."""
    if not settings.projects and not settings.tasks:
        return
    yield from _without_prompt(settings, origins)
    yield from _unknown(settings, origins)
    named = [project.name for project in settings.projects if project.name is not None]
    for name in sorted({name for name in named if named.count(name) > 1}):
        yield wrong_value(origin_of(origins, ("projects",)), ("projects", "name"), name, "the name of one project only")


def _without_prompt(settings: Settings, origins: Origins) -> Iterator[str]:
    for name, task in settings.tasks.items():
        if name not in built_in_names() and task.prompt is None:
            key: KeyPath = ("tasks", name)
            missing = dotted((*key, "prompt"))
            yield f"{origin_of(origins, key)}: {missing}: missing, and `{name}` is not built in{_meant(name)}"


def _meant(name: str) -> str:
    near = closest(name, built_in_names())
    return f", did you mean `{near}`?" if near else ""


def _unknown(settings: Settings, origins: Origins) -> Iterator[str]:
    tasks = list(dict.fromkeys([*built_in_names(), *settings.tasks]))
    agents = agent_names(settings)
    origin = origin_of(origins, ("projects",))
    for number, project in enumerate(settings.projects):
        at = f"projects[{number}]"
        for task in project.tasks:
            if task not in tasks:
                yield wrong_value(origin, (at, "tasks"), task, _one_of(task, tasks, "[tasks]"))
        if project.backend is not None and project.backend not in agents:
            yield wrong_value(origin, (at, "backend"), project.backend, _one_of(project.backend, agents, "[agents]"))


def _one_of(text: str, known: list[str], table: str) -> str:
    near = closest(text, known)
    listed = ", ".join(f"`{name}`" for name in known)
    return f"one of {listed}, or a name under `{table}`" + (f", did you mean `{near}`?" if near else "")
