"""The agents' part of `weft doctor` (AGENT-9): found, version, the flags Weft uses, logged in or not."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from weft.agents.checks import CHECKS, ProgramCheck, flags_used, own_variables
from weft.agents.environment import agent_environment
from weft.agents.options import program_of
from weft.assembly.doctor_finding import PATIENCE, Finding, Health
from weft.assembly.pipeline import agents_used, default_agent, run_pipeline
from weft.errors import WeftError
from weft.model.plan import AgentKind, AgentSpec
from weft.processes import capture
from weft.settings.agents import agent_specs
from weft.settings.environment import Environment
from weft.settings.load import Loaded

_VERSION = re.compile(r"\d+\.\d+\.\d+\S*")


async def examine_agents(environment: Environment, loaded: Loaded | None) -> list[Finding]:
    """Every built-in one and those of the user's own; only those the settings name must be there."""
    specs = _specs(loaded)
    needed = _needed(loaded)
    programs = [spec for spec in specs if spec.kind is AgentKind.COMMAND or spec.kind in CHECKS]
    findings = await asyncio.gather(*(_examine(spec, environment, needed=spec.name in needed) for spec in programs))
    return list(findings) if needed else [*findings, _none_set()]


def _specs(loaded: Loaded | None) -> list[AgentSpec]:
    if loaded is None:
        return [AgentSpec(kind.value, kind) for kind in CHECKS]
    return list(agent_specs(loaded.settings, loaded.folder).values())


def _needed(loaded: Loaded | None) -> set[str]:
    if loaded is None:
        return set()
    default = default_agent(loaded.settings)
    try:
        used = agents_used(run_pipeline(loaded, None, default))
    except WeftError:
        used = []
    return {name for name in (*used, default) if name}


def _none_set() -> Finding:
    return Finding("agent", Health.WARNING, "no agent is set", 'set `agent = "…"` in weft.toml, or run `weft init`')


async def _examine(spec: AgentSpec, environment: Environment, *, needed: bool) -> Finding:
    name = f"agent {spec.name}"
    program = program_of(spec)[0]
    found = shutil.which(program, path=environment.search_path)
    if found is None:
        hint = CHECKS[spec.kind].install if spec.kind in CHECKS else f"mend `argv` under `[agents.{spec.name}]`"
        health = Health.PROBLEM if needed else Health.NOTE
        return Finding(name, health, f"`{program}` is not installed", hint)
    if spec.kind not in CHECKS:
        return Finding(name, Health.OK, found)
    return await _ask(spec, CHECKS[spec.kind], environment, found, needed=needed)


async def _ask(spec: AgentSpec, check: ProgramCheck, environment: Environment, found: str, *, needed: bool) -> Finding:
    name, bad = f"agent {spec.name}", Health.PROBLEM if needed else Health.WARNING
    own = agent_environment(environment.variables, [*own_variables(spec.kind), *spec.env], {})
    try:
        version, missing, logged_in = await asyncio.gather(
            _version(found, own), _missing_flags(spec.kind, check, found, own), _logged_in(check, found, own)
        )
    except (WeftError, TimeoutError) as error:
        return Finding(name, bad, f"`{found}` does not run: {error or 'it takes too long'}", f"try `{found} --help`")
    said = f"{found}, version {version}"
    if missing:
        listed = ", ".join(f"`{flag}`" for flag in missing)
        return Finding(name, bad, f"{said}: it does not know {listed}", f"update it: {check.install}")
    if not logged_in:
        health = Health.WARNING if needed else Health.NOTE
        hint = f"`{check.log_in}`, or set {' or '.join(check.keys[:2])}"
        return Finding(name, health, f"{said}, not logged in", hint)
    return Finding(name, Health.OK, f"{said}, logged in; {check.note}")


async def _version(found: str, own: Mapping[str, str]) -> str:
    status, said = await _run((found, "--version"), own)
    number = _VERSION.search(said)
    return number[0] if status == 0 and number else "unknown"


async def _missing_flags(kind: AgentKind, check: ProgramCheck, found: str, own: Mapping[str, str]) -> list[str]:
    _, said = await _run((found, *check.help), own)
    return [flag for flag in flags_used(kind) if not re.search(rf"(?<![\w-]){flag}(?![\w-])", said)]


async def _logged_in(check: ProgramCheck, found: str, own: Mapping[str, str]) -> bool:
    home = Path(own.get("HOME", "/"))
    if any(own.get(key) for key in check.keys) or any((home / file).exists() for file in check.files):
        return True
    if not check.login:
        return False
    status, _ = await _run((found, *check.login), own)
    return status == 0


async def _run(argv: tuple[str, ...], own: Mapping[str, str]) -> tuple[int, str]:
    done = await capture(argv, cwd=Path("/"), env=own, timeout=PATIENCE)
    return done.status, (done.stdout + done.stderr).decode("utf-8", "replace")
