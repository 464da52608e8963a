"""What is wrong with settings as a whole, though each value is allowed by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from weft.model.plan import AgentKind
from weft.model.spelling import closest
from weft.settings.problem import DEFAULT, KeyPath, Origin, dotted, wrong_value
from weft.settings.sections import AgentSettings, Settings

BUILT_IN_AGENTS = tuple(kind.value for kind in AgentKind if kind is not AgentKind.COMMAND)
PLACEHOLDERS = ("phase", "job", "run", "attempt", "model", "workdir", "prompt_file")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")

Origins = Mapping[KeyPath, Origin]


def incoherences(settings: Settings, origins: Origins) -> list[str]:
    """Every problem between keys, each naming the key that shows it and where that was set."""
    return [
        *_unknown_agents(settings, origins),
        *(problem for name, agent in settings.agents.items() for problem in _agent(name, agent, origins)),
        *_schedule(settings, origins),
    ]


def agent_names(settings: Settings) -> list[str]:
    """All agents that can be named."""
    return list(dict.fromkeys([*BUILT_IN_AGENTS, *settings.agents]))


def _unknown_agents(settings: Settings, origins: Origins) -> Iterator[str]:
    known = agent_names(settings)
    named: dict[KeyPath, str | None] = {("agent",): settings.agent}
    named |= {("phases", name, "agent"): phase.agent for name, phase in settings.phases.items()}
    for key, name in named.items():
        if name is not None and name not in known:
            near = closest(name, known)
            guess = f", did you mean `{near}`?" if near else ""
            listed = ", ".join(f"`{one}`" for one in known)
            yield wrong_value(
                _origin(origins, key), key, name, f"an agent: {listed}, or a name under `[agents]`{guess}"
            )


def _agent(name: str, agent: AgentSettings, origins: Origins) -> Iterator[str]:
    at: KeyPath = ("agents", name)
    where = _origin(origins, at)
    kind = agent.kind or (AgentKind(name) if name in BUILT_IN_AGENTS else None)
    if kind is None:
        yield f'{where}: {dotted((*at, "kind"))}: missing; `{name}` is no built-in agent, so say `kind = "command"`'
    if kind is AgentKind.COMMAND and not agent.argv:
        yield f"{where}: {dotted((*at, 'argv'))}: missing; a `command` agent needs its command line"
    if kind is not AgentKind.COMMAND and kind is not None and agent.argv:
        yield wrong_value(
            _origin(origins, (*at, "argv")), (*at, "argv"), list(agent.argv), "left out: only a `command` agent has one"
        )
    for argument in agent.argv:
        yield from _placeholders(argument, (*at, "argv"), origins)


def _placeholders(argument: str, key: KeyPath, origins: Origins) -> Iterator[str]:
    for name in _PLACEHOLDER.findall(argument):
        if name not in PLACEHOLDERS:
            known = ", ".join(f"`{{{one}}}`" for one in PLACEHOLDERS)
            yield wrong_value(_origin(origins, key), key, argument, f"free of `{{{name}}}`, which is not among {known}")


def _schedule(settings: Settings, origins: Origins) -> Iterator[str]:
    if settings.schedule.cron and settings.schedule.every is not None:
        key: KeyPath = ("schedule", "cron")
        yield wrong_value(_origin(origins, key), key, settings.schedule.cron, "left out where `schedule.every` is set")


def _origin(origins: Origins, key: KeyPath) -> Origin:
    return origins.get(key, DEFAULT)
