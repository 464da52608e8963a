"""The maintenance tasks that come with Weft: a prompt that a maintainer would give, and a gate on what came of it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from weft.model.gate import Gate
from weft.pipelines.duration import parse_duration
from weft.settings.kinds import CostTier

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_ENDING = ".toml"


class BuiltInTask(msgspec.Struct, frozen=True):
    name: str
    title: str
    prompt: str
    cooldown: float
    cost_tier: CostTier
    gates: tuple[Gate, ...]


@cache
def built_in_names() -> tuple[str, ...]:
    return tuple(sorted(file.name.removesuffix(_ENDING) for file in _folder().iterdir() if _is_task(file)))


@cache
def built_in_tasks() -> dict[str, BuiltInTask]:
    """By name."""
    import tomllib  # every command reads settings, few of them tasks

    return {
        name: _task(name, tomllib.loads((_folder() / f"{name}{_ENDING}").read_text("utf-8")))
        for name in built_in_names()
    }


def _folder() -> Traversable:
    from importlib import resources

    return resources.files("weft.pipelines") / "builtin" / "tasks"


def _is_task(file: Traversable) -> bool:
    return file.name.endswith(_ENDING)


def _task(name: str, raw: dict[str, Any]) -> BuiltInTask:
    return BuiltInTask(
        name=name,
        title=raw["title"],
        prompt=raw["prompt"].strip(),
        cooldown=parse_duration(raw["cooldown"]),
        cost_tier=CostTier(raw["cost_tier"]),
        gates=tuple(Gate(gate, command.strip()) for gate, command in raw["gates"].items()),
    )
