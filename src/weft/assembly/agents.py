"""Agents as a plan carries them, checked before anything starts."""

from __future__ import annotations

from collections.abc import Iterable

from weft.agents.registry import agent_problems
from weft.errors import UsageError
from weft.model.plan import AgentSpec
from weft.pipelines.suggest import alternatives
from weft.settings.agents import agent_specs
from weft.settings.load import Loaded

NO_AGENT_HINT = 'set `agent = "…"` in weft.toml, or run `weft init`'


def agents_named(loaded: Loaded, names: Iterable[str]) -> tuple[AgentSpec, ...]:
    """The agents of these names; every problem of all of them is said at once."""
    wanted = list(names)
    if not wanted or not all(wanted):
        raise UsageError("No agent is set", hint=NO_AGENT_HINT)
    known = agent_specs(loaded.settings, loaded.folder)
    problems = [f"unknown agent `{name}`: {alternatives(name, known)}" for name in wanted if name not in known]
    specs = [known[name] for name in wanted if name in known]
    problems += [f"agent `{spec.name}`: {problem}" for spec in specs for problem in agent_problems(spec)]
    if problems:
        raise UsageError("\n".join(problems), hint="set another `agent` in weft.toml, or mend `[agents]`")
    return tuple(specs)
