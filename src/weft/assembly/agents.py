"""Agents as a plan carries them, checked before anything starts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from weft.agents.registry import agent_problems
from weft.errors import UsageError
from weft.model.plan import AgentKind, AgentSpec
from weft.settings.load import Loaded
from weft.settings.sections import AgentSettings

NO_AGENT_HINT = 'set `agent = "…"` in weft.toml, or run `weft init`'


def agent_specs(loaded: Loaded, names: Iterable[str]) -> tuple[AgentSpec, ...]:
    """The agents of these names; every problem of all of them is said at once."""
    specs = [_spec(loaded, name) for name in names]
    if not specs or any(not spec.name for spec in specs):
        raise UsageError("No agent is set", hint=NO_AGENT_HINT)
    problems = [f"agent `{spec.name}`: {problem}" for spec in specs for problem in agent_problems(spec)]
    if problems:
        raise UsageError("\n".join(problems), hint="set another `agent` in weft.toml, or mend `[agents]`")
    return tuple(specs)


def _spec(loaded: Loaded, name: str) -> AgentSpec:
    said = loaded.settings.agents.get(name, AgentSettings())
    kind = said.kind or (AgentKind(name) if name else AgentKind.COMMAND)
    return AgentSpec(
        name=name,
        kind=kind,
        argv=said.argv,
        prompt=said.prompt,
        output=said.output,
        env=said.env,
        model=said.model,
        max_sessions=said.max_sessions,
        script=_beside(loaded.folder, said.script),
    )


def _beside(folder: Path, script: str | None) -> str | None:
    return str((folder / script).absolute()) if script else None
