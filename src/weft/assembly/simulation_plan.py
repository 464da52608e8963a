"""What `weft simulate` is to play through: a wave, a run of the past, or issues as `weft run` takes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from weft.assembly.ask_run import RunAsk, plan_for
from weft.assembly.history import History
from weft.assembly.plan_wave import WaveAsk, plan_wave
from weft.assembly.simulation_times import Model, Times
from weft.errors import UsageError
from weft.model.ids import RunId
from weft.model.plan import Plan
from weft.settings.environment import Environment
from weft.settings.load import Loaded, load
from weft.sources.reference import Prompt, Unknown, parse_reference
from weft.sources.wave_file import is_plan_file


class Scenario(msgspec.Struct, frozen=True):
    plan: Plan
    times: Times
    of: str
    """What it is, for people: `wave M1`, `run r-…`, `3 issues`."""


async def scenario_of(words: Sequence[str], environment: Environment, history: History, model: Model) -> Scenario:
    """Nothing is changed, and nothing but the history is looked at for a run of the past."""
    only = words[0] if len(words) == 1 else None
    if only is not None and any(record.run == only for record in history.records()):
        return _past_run(RunId(only), history, model)
    loaded = load(environment)
    if only is not None and _is_wave(only, loaded, environment.folder):
        return await _wave(only, loaded, environment, history, model)
    return await _issues(tuple(words), loaded, environment, history, model)


def _is_wave(word: str, loaded: Loaded, folder: Path) -> bool:
    """A plan file; or, where settings list repos, what is neither an issue's number nor a file."""
    if is_plan_file(word):
        return True
    return bool(loaded.settings.repos) and isinstance(parse_reference(word, folder), Prompt | Unknown)


def _past_run(run: RunId, history: History, model: Model) -> Scenario:
    plan = history.plan(run)
    if plan is None:
        raise UsageError(f"Run `{run}` has no plan: its process died before it wrote one")
    past = history.past({repo.path for repo in plan.repos})
    return Scenario(plan, Times(plan, past, model, run=history.view(run)), f"run {run}")


async def _wave(name: str, loaded: Loaded, environment: Environment, history: History, model: Model) -> Scenario:
    wave = await plan_wave(WaveAsk(wave=name), loaded, environment, history)
    past = history.past({repo.path for repo in wave.plan.repos})
    return Scenario(wave.plan, Times(wave.plan, past, model, said=wave.said), f"wave {wave.plan.name}")


async def _issues(
    words: tuple[str, ...], loaded: Loaded, environment: Environment, history: History, model: Model
) -> Scenario:
    plan = await plan_for(RunAsk(references=words), loaded, environment, history.journal)
    past = history.past({repo.path for repo in plan.repos})
    count = len(plan.jobs)
    return Scenario(plan, Times(plan, past, model), f"{count} issue{'' if count == 1 else 's'}")
