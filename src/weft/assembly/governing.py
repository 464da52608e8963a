"""What limits a run besides its cap: from settings into the plan, and from the plan to what is watched."""

from __future__ import annotations

from pathlib import Path

import msgspec

from weft.agents.environment import agent_environment
from weft.assembly.budget import budget_of
from weft.execution.machine import LocalMachine
from weft.execution.meters import CommandMeter, FileMeter
from weft.model.governing import MachinePlan, UsagePlan
from weft.model.ids import RunId
from weft.model.layout import Layout
from weft.model.plan import Plan
from weft.ports import Meter, Watched
from weft.processes import Warden
from weft.settings.environment import Environment
from weft.settings.load import Loaded

FILE_EVERY = 1.0
"""Seconds: to look at a file costs nothing."""


def governed(plan: Plan, loaded: Loaded, *, override_usage: bool = False) -> Plan:
    """The plan with its limits by usage, by the machine and by the budget, as settings have them."""
    usage = None if override_usage else _usage_plan(loaded)
    return msgspec.structs.replace(plan, usage=usage, machine=_machine_plan(loaded), budget=budget_of(plan, loaded))


def _usage_plan(loaded: Loaded) -> UsagePlan | None:
    usage = loaded.settings.usage
    if not usage.command and not usage.file:
        return None
    return UsagePlan(
        command=usage.command,
        file=str(loaded.folder / Path(usage.file).expanduser()) if usage.file else "",
        folder=str(loaded.folder),
        env=usage.env,
        every=usage.every if usage.command else min(usage.every, FILE_EVERY),
        timeout=usage.timeout,
        steps=usage.steps,
        margin=usage.margin,
    )


def _machine_plan(loaded: Loaded) -> MachinePlan | None:
    machine = loaded.settings.machine
    plan = MachinePlan(machine.min_free_memory, machine.min_free_disk, machine.max_load)
    return plan if plan.min_free_memory or plan.min_free_disk or plan.max_load else None


def watched(run: RunId, plan: Plan, environment: Environment, layout: Layout, warden: Warden) -> Watched:
    """What is looked at while the run is under way."""
    disks = [Path(layout.root), *(Path(repo.path) for repo in plan.repos)]
    return Watched(
        meter=_meter(run, plan.usage, environment, layout, warden) if plan.usage else None,
        meter_every=plan.usage.every if plan.usage else 0.0,
        machine=LocalMachine(run, plan, disks, lambda: warden.pid) if plan.machine else None,
        machine_every=plan.machine.every if plan.machine else 0.0,
    )


def _meter(run: RunId, usage: UsagePlan, environment: Environment, layout: Layout, warden: Warden) -> Meter:
    if not usage.command:
        return FileMeter(Path(usage.file))
    variables = agent_environment(environment.variables, usage.env, {"WEFT_ATTEMPT": f"{run}/usage"})
    output = Path(layout.run(run)) / "usage.out"
    return CommandMeter(warden, usage.command, Path(usage.folder), variables, output, usage.timeout)
