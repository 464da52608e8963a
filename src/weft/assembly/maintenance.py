"""The maintenance tasks as settings leave them: those that come with Weft, tuned or not, and the user's own."""

from __future__ import annotations

from pathlib import Path

import msgspec

from weft.assembly.builtin import read_text
from weft.model.gate import Gate
from weft.settings.built_in_tasks import BuiltInTask, built_in_tasks
from weft.settings.kinds import CostTier
from weft.settings.load import Loaded
from weft.settings.sections import TaskSettings

_LONGEST_TITLE = 60


class MaintenanceTask(msgspec.Struct, frozen=True):
    name: str
    title: str
    prompt: str
    cooldown: float = 0.0
    """Seconds."""
    cost_tier: CostTier = CostTier.MEDIUM
    enabled: bool = True
    gates: tuple[Gate, ...] = ()
    origin: str = ""


def catalogue(loaded: Loaded) -> dict[str, MaintenanceTask]:
    """Every task that a project may name."""
    said, own = loaded.settings.tasks, built_in_tasks()
    names = dict.fromkeys([*own, *said])
    return {name: _task(name, own.get(name), said.get(name, TaskSettings()), loaded) for name in names}


def _task(name: str, built_in: BuiltInTask | None, said: TaskSettings, loaded: Loaded) -> MaintenanceTask:
    """What settings say goes before what Weft brings."""
    prompt = _prompt(said.prompt, loaded.folder) if said.prompt else built_in.prompt if built_in else ""
    base = built_in or BuiltInTask(name, _title(prompt), prompt, 0.0, CostTier.MEDIUM, ())
    gates = (*base.gates, Gate("task", said.gate)) if said.gate else base.gates
    timeout = loaded.settings.gates.timeout
    return MaintenanceTask(
        name=name,
        title=said.title or base.title,
        prompt=prompt,
        cooldown=base.cooldown if said.cooldown is None else said.cooldown,
        cost_tier=said.cost_tier or base.cost_tier,
        enabled=said.enabled,
        gates=tuple(msgspec.structs.replace(gate, timeout=timeout) for gate in gates),
        origin=f"{loaded.file or 'settings'}: tasks.{name}" if said.prompt else "built-in task",
    )


def _prompt(said: str, folder: Path) -> str:
    """A file beside the settings where it is one line that ends like one, else the prompt itself."""
    return read_text(folder / said) if said.endswith(".md") and "\n" not in said else said


def _title(prompt: str) -> str:
    first = prompt.strip().partition("\n")[0].rstrip(".")
    return (
        first
        if len(first) <= _LONGEST_TITLE
        else f"{first[:_LONGEST_TITLE].rpartition(' ')[0] or first[:_LONGEST_TITLE]}…"
    )
