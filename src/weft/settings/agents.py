"""The agents that settings give: the built-in ones, tuned or not, and those of the user's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from weft.agents.registry import AGENTS, agent_problems
from weft.model.plan import AgentKind, AgentSpec
from weft.model.spelling import closest
from weft.settings.problem import KeyPath, Origins, dotted, origin_of, wrong_value
from weft.settings.sections import AgentSettings, Settings

_OWN_ACCOUNT = (AgentKind.COMMAND, AgentKind.SCRIPTED)
"""Kinds that say nothing about who pays."""
BUILT_IN = tuple(kind.value for kind in AgentKind if kind is not AgentKind.COMMAND)


def agent_specs(settings: Settings, folder: Path) -> dict[str, AgentSpec]:
    """Every agent that a phase may name. Relative programs and scripts are meant from `folder`, where they exist."""
    tuned = {name: settings.agents.get(name, AgentSettings()) for name in agent_names(settings)}
    kinds = {name: _kind(name, agent) for name, agent in tuned.items()}
    return {name: _spec(name, kind, tuned[name], folder) for name, kind in kinds.items() if kind}


def agent_names(settings: Settings) -> list[str]:
    """All agents that can be named."""
    return list(dict.fromkeys([*BUILT_IN, *settings.agents]))


def agents_wrong(settings: Settings, origins: Origins, folder: Path) -> Iterator[str]:
    """Every problem with the agents and with who names them."""
    specs = agent_specs(settings, folder)
    yield from _unknown_names(settings, origins)
    for name in settings.agents:
        key: KeyPath = ("agents", name)
        if name not in specs:
            missing = dotted((*key, "kind"))
            yield f'{origin_of(origins, key)}: {missing}: missing, and `{name}` is not built in; say `kind = "command"`'
        elif specs[name].kind in AGENTS:
            where = f"{origin_of(origins, key)}: {dotted(key)}"
            yield from (f"{where}: {problem}" for problem in agent_problems(specs[name]))


def _kind(name: str, agent: AgentSettings) -> AgentKind | None:
    return agent.kind or (AgentKind(name) if name in BUILT_IN else None)


def _spec(name: str, kind: AgentKind, agent: AgentSettings, folder: Path) -> AgentSpec:
    return AgentSpec(
        name=name,
        kind=kind,
        argv=_argv(agent.argv, folder),
        prompt=agent.prompt,
        output=agent.output,
        env=agent.env,
        model=agent.model,
        max_sessions=agent.max_sessions,
        args=agent.args,
        account=agent.account or (name if kind in _OWN_ACCOUNT else kind.value),
        fallback=agent.fallback,
        script=str(folder / agent.script) if agent.script else None,
    )


def _argv(argv: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """`./agent.sh` is the one beside the settings: what agents change in a workspace must not change the agent."""
    if not argv or "/" not in argv[0] or not (folder / argv[0]).exists():
        return argv
    return (str((folder / argv[0]).resolve()), *argv[1:])


def _unknown_names(settings: Settings, origins: Origins) -> Iterator[str]:
    known = agent_names(settings)
    named: list[tuple[KeyPath, str | None]] = [(("agent",), settings.agent)]
    named += [(("phases", name, "agent"), phase.agent) for name, phase in settings.phases.items()]
    named += [
        (("agents", name, "fallback"), other) for name, agent in settings.agents.items() for other in agent.fallback
    ]
    for key, name in named:
        if name is not None and name not in known:
            near = closest(name, known)
            guess = f", did you mean `{near}`?" if near else ""
            listed = ", ".join(f"`{one}`" for one in known)
            allowed = f"one of {listed}, or a name under `[agents]`{guess}"
            yield wrong_value(origin_of(origins, key), key, name, allowed)
