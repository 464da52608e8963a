"""What a run over projects would do, before anything starts (PROJ-5): the mode, each project, the budget, the cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from weft.assembly.history import History
from weft.assembly.plan_projects import lane_count
from weft.assembly.projects import Candidate
from weft.board.estimates import PlanEstimate, phase_estimates, plan_estimate
from weft.board.views import RunView
from weft.errors import ExitCode
from weft.model.plan import Mode, Plan
from weft.settings.kinds import CostTier
from weft.settings.load import Loaded
from weft.settings.sections import Budget, Schedule

SERIAL = "serial"
ENOUGH_HISTORY = 50
"""Runs; older ones say little about the next."""


class Preflight(msgspec.Struct, frozen=True):
    mode: str
    """`serial`, or `parallel, at most 5 of 12`."""
    agents: int
    """How many agents will be at work at once, at most."""
    warning: str | None
    candidates: tuple[Candidate, ...]
    budget: dict[str, float]
    """The limits that are set, by key."""
    estimate: PlanEstimate
    tiers: dict[CostTier, int]
    """How many tasks of each."""

    @property
    def eligible(self) -> list[Candidate]:
        return [candidate for candidate in self.candidates if candidate.eligible]

    @property
    def nothing(self) -> str | None:
        """Why nothing would run."""
        if self.eligible:
            return None
        if not self.candidates:
            return "no `[[projects]]` are set"
        return "; ".join(f"{one.project.name}: {one.project.problem or one.project.skipped}" for one in self.candidates)

    @property
    def code_of_nothing(self) -> ExitCode:
        """Nothing to do is fine; nothing that could be done is not."""
        return ExitCode.FAILED if any(one.project.problem for one in self.candidates) else ExitCode.OK


def look_ahead(candidates: Sequence[Candidate], plan: Plan, loaded: Loaded, history: History) -> Preflight:
    """By what earlier runs over projects took."""
    records = [record for record in history.records() if record.mode == Mode.PROJECTS.value]
    past = history.views(records[:ENOUGH_HISTORY])
    return preflight(candidates, plan, loaded.settings.schedule, loaded.settings.budget, past)


def preflight(
    candidates: Sequence[Candidate], plan: Plan, schedule: Schedule, budget: Budget, past: Iterable[RunView]
) -> Preflight:
    lanes = lane_count(candidates)
    agents = min(plan.cap, lanes)
    tasks = [task for candidate in candidates for task in candidate.tasks]
    history = phase_estimates(view for view in past if view.mode is Mode.PROJECTS)
    return Preflight(
        mode=_mode(schedule, agents, lanes),
        agents=agents,
        warning=_warning(schedule, lanes),
        candidates=tuple(candidates),
        budget=_limits(budget),
        estimate=plan_estimate(plan, history),
        tiers={tier: count for tier in CostTier if (count := sum(task.cost_tier is tier for task in tasks))},
    )


def _mode(schedule: Schedule, agents: int, lanes: int) -> str:
    return f"parallel, at most {agents} of {lanes}" if schedule.project_parallelism else SERIAL


def _warning(schedule: Schedule, lanes: int) -> str | None:
    if not schedule.project_parallelism or schedule.max_parallel_projects or not lanes:
        return None
    return f"`schedule.max_parallel_projects` is 0, which is no limit: {lanes} agents at once"


def _limits(budget: Budget) -> dict[str, float]:
    found = {name: getattr(budget, name) for name in budget.__struct_fields__ if not name.endswith("_percent")}
    return {name: value for name, value in found.items() if value is not None}
