"""Agents as a plan carries them, checked before anything starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from weft.agents.registry import agent_problems, phase_problems, phase_warnings
from weft.errors import UsageError
from weft.model.phase import Phase, StepKind
from weft.model.plan import AgentSpec, Plan
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
    specs = [known[name] for name in _with_fallbacks(wanted, known) if name in known]
    problems += [f"agent `{spec.name}`: {problem}" for spec in specs for problem in agent_problems(spec)]
    if problems:
        raise UsageError("\n".join(problems), hint="set another `agent` in weft.toml, or mend `[agents]`")
    return tuple(specs)


def _with_fallbacks(wanted: list[str], known: Mapping[str, AgentSpec]) -> list[str]:
    """Those in their places come after all that are named by a phase."""
    more = [other for name in wanted if name in known for other in known[name].fallback]
    return list(dict.fromkeys([*wanted, *more]))


def refuse_impossible(plan: Plan) -> None:
    """AGENT-2: what a phase asks of its agent that it cannot do is said before anything starts, all of it at once."""
    problems = [
        f"phase `{phase.name}`: agent `{spec.name}`: {problem}"
        for phase, spec in _sessions(plan)
        for problem in phase_problems(spec, phase)
    ]
    if problems:
        raise UsageError("\n".join(dict.fromkeys(problems)), hint="change the phase's settings, or its `agent`")


def half_measures(plan: Plan) -> list[str]:
    """AGENT-2: what phases ask for that their agents do in part or not at all."""
    said = [
        f"phase `{phase.name}`: agent `{spec.name}`: {warning}"
        for phase, spec in _sessions(plan)
        for warning in phase_warnings(spec, phase)
    ]
    return list(dict.fromkeys(said))


def _sessions(plan: Plan) -> list[tuple[Phase, AgentSpec]]:
    phases = [phase for pipeline in plan.pipelines for phase in pipeline.phases]
    return [(phase, plan.agent(phase.agent)) for phase in phases if StepKind.SESSION in phase.steps]
