"""nightshift's `config.yaml` or `nightshift.yaml` in Weft's terms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from weft.assembly.import_draft import Draft
from weft.settings.built_in_tasks import built_in_names

_AGENTS = ("claude", "codex")
_TASKS = {
    "lint": "lint-fix",
    "docs": "docs-backfill",
    "test-gap": "test-gaps",
    "dependency-risk": "dependency-update",
    "changelog-synth": "changelog",
}
"""Its tasks that Weft has by another name."""
_DAYS = 7
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*", re.ASCII)
_NOT_THERE = {
    r"schedule\.window": "give both `start` and `end`, as times such as `22:00`",
    r"budget\.(billing_mode|calibrate_enabled|snapshot_.*|week_start_day|db_path)": "Weft counts what sessions report",
    r"budget\.aggressive_end_of_week": "a budget is the same every day",
    r"budget\.per_provider": "write limits of one agent under `[agents.NAME.budget]`",
    r"providers\..*\.data_path": "Weft reads no files of an agent's own",
    r"providers\..*\.dangerously_.*": "not taken over: say it yourself with `phases.exec.approval_mode`",
    r"providers": "Weft has no such agent built in, or uses it only where a setting names it",
    r"tasks\.priorities": "tasks are done in the order in which a project lists them",
    r"integrations": "agents read their own instruction files; issues are `weft run`'s",
    r"logging": "Weft keeps one journal for all runs, see `weft logs`",
    r"reporting": "every run has a report, see `weft report`",
}


def read_nightshift(draft: Draft) -> None:
    _schedule(draft)
    _budget(draft)
    _agent(draft)
    usual = _tasks(draft)
    _projects(draft, usual)
    for pattern, reason in _NOT_THERE.items():
        draft.leave_all(pattern, reason)


def _schedule(draft: Draft) -> None:
    for name in ("cron", "project_parallelism", "max_parallel_projects", "max_projects"):
        draft.move(f"schedule.{name}", f"schedule.{name}")
    draft.move("schedule.interval", "schedule.every")
    start, end = draft.get("schedule.window.start"), draft.get("schedule.window.end")
    if start and end:
        draft.skip("schedule.window.start", "schedule.window.end")
        draft.put("schedule.window", "schedule.window", f"{start}-{end}")
    draft.move("schedule.window.timezone", "schedule.timezone")


def _budget(draft: Draft) -> None:
    """Its budget is weekly; by day it is a seventh."""
    mode, tokens = draft.take("budget.mode"), draft.take("budget.weekly_tokens")
    if isinstance(tokens, int) and mode != "weekly":
        draft.put("budget.weekly_tokens", "budget.day_tokens", tokens // _DAYS)
    elif tokens is not None:
        draft.put("budget.weekly_tokens", "budget.week_tokens", tokens)
    draft.move("budget.max_percent", "budget.max_percent")
    draft.move("budget.reserve_percent", "budget.reserve_percent")


def _agent(draft: Draft) -> None:
    """The first that is preferred and not turned off."""
    preferred = draft.take("providers.preference") or list(_AGENTS)
    off = [name for name in draft.names("providers") if draft.take(f"providers.{name}.enabled") is False]
    usable = [name for name in _texts(preferred) if name in _AGENTS and name not in off]
    if usable:
        draft.put("providers.preference", "agent", usable[0])
    for name in _AGENTS:
        draft.move(f"providers.{name}.model", f"agents.{name}.model")


def _tasks(draft: Draft) -> list[str]:
    """The tasks of projects that name none of their own."""
    listed = draft.take("tasks.custom")
    entries = enumerate(listed if isinstance(listed, list) else [])
    mine = [name for number, entry in entries if (name := _own_task(draft, f"tasks.custom[{number}]", entry))]
    for name in draft.names("tasks.intervals"):
        key = f"tasks.intervals.{name}"
        _on_task(draft, key, name, mine, "cooldown", draft.take(key))
    for name in _texts(draft.take("tasks.disabled")):
        _on_task(draft, "tasks.disabled", name, mine, "enabled", False)
    enabled = _texts(draft.take("tasks.enabled"))
    return [*_known(draft, "tasks.enabled", enabled, mine), *mine]


def _own_task(draft: Draft, at: str, entry: Any) -> str | None:
    """Its name, where it is whole."""
    if not isinstance(entry, Mapping) or not _NAME.fullmatch(str(entry.get("type"))) or not entry.get("description"):
        draft.leave(at, entry, "a task needs a `description` and a `type` of small letters, digits and `-`")
        return None
    name = f"tasks.{entry['type']}"
    draft.put(f"{at}.description", f"{name}.prompt", entry["description"])
    if entry.get("name"):
        draft.put(f"{at}.name", f"{name}.title", entry["name"])
    if entry.get("interval"):
        draft.put(f"{at}.interval", f"{name}.cooldown", entry["interval"])
    if entry.get("cost_tier"):
        tier = "high" if entry["cost_tier"] == "very-high" else entry["cost_tier"]
        draft.put(f"{at}.cost_tier", f"{name}.cost_tier", tier)
    for key in ("category", "risk_level"):
        if entry.get(key):
            draft.leave(f"{at}.{key}", entry[key], "what a task may do is its gate's to say: `tasks.NAME.gate`")
    return str(entry["type"])


def _on_task(draft: Draft, key: str, name: str, own: list[str], what: str, value: Any) -> None:
    for known in _known(draft, key, [name], own):
        draft.put(key, f"tasks.{known}.{what}", value)


def _known(draft: Draft, key: str, names: Iterable[str], own: list[str]) -> list[str]:
    """Those that Weft has, by its names; the others are left."""
    found: list[str] = []
    for name in names:
        here = name if name in own else _TASKS.get(name, name)
        if here in built_in_names() or here in own:
            found.append(here)
        else:
            draft.leave(key, name, f"not built in; write it as `[tasks.{name}]` with a `prompt`")
    return found


def _projects(draft: Draft, usual: list[str]) -> None:
    own = [name for name in usual if name not in built_in_names()]
    listed = draft.take("projects")
    for number, entry in enumerate(listed if isinstance(listed, list) else []):
        at = f"projects[{number}]"
        if not isinstance(entry, Mapping) or not entry.get("path"):
            draft.leave(at, entry, "a project needs a `path`; patterns are not looked for")
            continue
        named = _texts(entry.get("tasks"))
        project: dict[str, Any] = {"path": entry["path"]}
        if tasks := _known(draft, f"{at}.tasks", named, own) if named else list(dict.fromkeys(usual)):
            project["tasks"] = tasks
        if entry.get("priority"):
            project["priority"] = entry["priority"]
        draft.put(at, "projects", [project])
        for key in ("config", "exclude", "pattern"):
            if entry.get(key):
                draft.leave(f"{at}.{key}", entry[key], "a project is one folder, with the settings of this file")


def _texts(value: Any) -> list[str]:
    return [str(item).strip().lower() for item in value] if isinstance(value, list) else []
