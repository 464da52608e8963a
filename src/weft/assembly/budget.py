"""What a run may spend, from settings into its plan."""

from __future__ import annotations

from collections.abc import Iterator

from weft.model.budget import Budget, Limit, Scope, Unit
from weft.model.plan import Plan
from weft.settings.load import Loaded
from weft.settings.sections import AgentBudget


def budget_of(plan: Plan, loaded: Loaded) -> Budget | None:
    """The limits that settings have; None where there are none. What was spent of them before is looked up as the run
    starts.
    """
    said = loaded.settings.budget
    limits = list(_limits(said, "budget", None))
    for agent in plan.agents:
        tuned = loaded.settings.agents.get(agent.name)
        if tuned is not None:
            limits += _limits(tuned.budget, f"agents.{agent.name}.budget", agent.name)
    if not limits and said.session_tokens is None and said.session_usd is None:
        return None
    return Budget(
        limits=tuple(limits),
        session_tokens=said.session_tokens,
        session_usd=said.session_usd,
        max_percent=said.max_percent,
        reserve_percent=said.reserve_percent,
        zone=loaded.settings.schedule.timezone,
    )


def _limits(said: AgentBudget, at: str, agent: str | None) -> Iterator[Limit]:
    for scope in Scope:
        for unit in Unit:
            name = f"{scope.value}_{unit.value}"
            amount = getattr(said, name)
            if amount is not None:
                yield Limit(scope, unit, float(amount), f"{at}.{name}", agent)
