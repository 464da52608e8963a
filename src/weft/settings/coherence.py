"""What is wrong with settings as a whole, though each value is allowed by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from weft.settings.agents import agents_wrong
from weft.settings.coherent_projects import projects_wrong
from weft.settings.problem import KeyPath, Origins, origin_of, wrong_value
from weft.settings.sections import Settings


def incoherences(settings: Settings, origins: Origins, folder: Path) -> list[str]:
    """Every problem between keys, each naming the key that shows it and where that was set."""
    return [
        *agents_wrong(settings, origins, folder),
        *_schedule(settings, origins),
        *_workspace(settings, origins),
        *_twice(settings, origins),
        *_usage(settings, origins),
        *projects_wrong(settings, origins),
    ]


def _schedule(settings: Settings, origins: Origins) -> Iterator[str]:
    schedule = settings.schedule
    if schedule.cron and schedule.every is not None:
        key: KeyPath = ("schedule", "cron")
        yield wrong_value(origin_of(origins, key), key, schedule.cron, "left out where `schedule.every` is set")
    if schedule.cron and not _is_cron(schedule.cron):
        key = ("schedule", "cron")
        allowed = "five fields within their ranges, such as `0 22 * * *`"
        yield wrong_value(origin_of(origins, key), key, schedule.cron, allowed)
    if not _is_zone(schedule.timezone):
        key = ("schedule", "timezone")
        allowed = "`local` or a time zone such as `Europe/Berlin`"
        yield wrong_value(origin_of(origins, key), key, schedule.timezone, allowed)


def _usage(settings: Settings, origins: Origins) -> Iterator[str]:
    usage = settings.usage
    if usage.command and usage.file:
        key: KeyPath = ("usage", "file")
        yield wrong_value(origin_of(origins, key), key, usage.file, "left out where `usage.command` is set")
    if usage.margin >= usage.steps[0]:
        key = ("usage", "margin")
        allowed = f"less than the first of `usage.steps`, {usage.steps[0]:g}"
        yield wrong_value(origin_of(origins, key), key, usage.margin, allowed)


def _is_cron(line: str) -> bool:
    from croniter import croniter  # slow to import, and few settings have one

    return bool(croniter.is_valid(line))


def _is_zone(name: str) -> bool:
    if name == "local":
        return True
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def _workspace(settings: Settings, origins: Origins) -> Iterator[str]:
    """Nothing is copied or linked from outside the checkout, and nothing both ways."""
    copied, linked = settings.workspace.copy, settings.workspace.link
    for name, paths in (("copy", copied), ("link", linked)):
        key: KeyPath = ("workspace", name)
        for path in map(Path, paths):
            if path.is_absolute() or ".." in path.parts or path.parts[:1] in ((), (".git",)):
                yield wrong_value(origin_of(origins, key), key, str(path), "paths within the checkout")
    for both in sorted(set(copied) & set(linked)):
        key = ("workspace", "link")
        yield wrong_value(origin_of(origins, key), key, both, "different from `workspace.copy`")


def _twice(settings: Settings, origins: Origins) -> Iterator[str]:
    """Two repos of one name would share their jobs' keys."""
    names = [repo.name or Path(repo.path).name for repo in settings.repos]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield wrong_value(origin_of(origins, ("repos",)), ("repos", "name"), name, "the name of one repo only")
