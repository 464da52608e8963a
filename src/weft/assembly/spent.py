"""What a run finds spent when it starts, and what sessions like its own came to before."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo

import msgspec

from weft.assembly.zones import zone_of
from weft.board.estimates import session_sizes
from weft.board.views import RunView
from weft.model.budget import Budget, Estimate, Limit, Scope, Unit, daily_allowance, share_of_allowance
from weft.model.plan import AgentKind, AgentSpec, Mode, OutputFormat, Plan
from weft.settings.environment import Environment
from weft.stores.sqlite import SqliteJournal

AHEAD = 9
"""Days and weeks whose beginnings a plan knows: no run takes longer."""
_PRICED = (AgentKind.CLAUDE, AgentKind.OPENCODE, AgentKind.SCRIPTED)
"""Agents that say what their sessions cost; a `command` agent may, in its `jsonl` lines."""


def opened(plan: Plan, journal: SqliteJournal, past: Sequence[RunView], environment: Environment, at: float) -> Plan:
    """The plan as it starts: what was spent of each limit by then, what is to be set aside for its sessions."""
    budget = plan.budget
    if budget is None:
        return plan
    zone = zone_of(budget.zone, environment)
    limits = [_begun(limit, journal, zone, at) for limit in budget.limits]
    if plan.mode is Mode.PROJECTS:
        limits += _shares(budget, limits, journal, zone, at)
    estimates = _estimates(plan, past)
    unpriced = tuple(agent.name for agent in plan.agents if not _tells_price(agent, past))
    filled = msgspec.structs.replace(budget, limits=tuple(limits), estimates=estimates, unpriced=unpriced)
    return msgspec.structs.replace(plan, budget=filled)


def _begun(limit: Limit, journal: SqliteJournal, zone: tzinfo, at: float) -> Limit:
    if not limit.scope.shared:
        return limit
    begins = beginnings(limit.scope, at, zone)
    before = journal.spent_since(begins[0], limit.agent).of(limit.unit)
    return msgspec.structs.replace(limit, begins=begins, before=before)


def beginnings(scope: Scope, at: float, zone: tzinfo) -> tuple[float, ...]:
    """Of the current day or week, and of those that follow."""
    today = datetime.fromtimestamp(at, UTC).astimezone(zone).date()
    first = today if scope is Scope.DAY else today - timedelta(days=today.weekday())
    days = 1 if scope is Scope.DAY else 7
    return tuple(_midnight(first + timedelta(days=days * step), zone) for step in range(AHEAD))


def _midnight(day: date, zone: tzinfo) -> float:
    return datetime.combine(day, time(0, 0), tzinfo=zone).timestamp()


def _shares(budget: Budget, limits: Sequence[Limit], journal: SqliteJournal, zone: tzinfo, at: float) -> list[Limit]:
    """BUDGET-4: of the day's allowance a run over projects takes only a part, and leaves some of it alone."""
    found: list[Limit] = []
    today = beginnings(Scope.DAY, at, zone)[0]
    for unit in (Unit.TOKENS, Unit.USD):
        allowance = _allowance(limits, unit)
        if allowance:
            used = min(1.0, journal.spent_since(today, None).of(unit) / allowance)
            amount = share_of_allowance(allowance, used, budget.max_percent, budget.reserve_percent)
            found.append(Limit(Scope.RUN, unit, amount, f"budget.max_percent of the day's {unit.value}"))
    return found


def _allowance(limits: Sequence[Limit], unit: Unit) -> float | None:
    """The day's limit, or a seventh of the week's; the smaller of both."""
    amounts = [limit.amount for limit in limits if limit.agent is None and _is(limit, Scope.DAY, unit)]
    amounts += [daily_allowance(one.amount, unit) for one in limits if one.agent is None and _is(one, Scope.WEEK, unit)]
    return min(amounts, default=None)


def _is(limit: Limit, scope: Scope, unit: Unit) -> bool:
    return limit.scope is scope and limit.unit is unit


def _estimates(plan: Plan, past: Sequence[RunView]) -> tuple[Estimate, ...]:
    agents = {agent.name for agent in plan.agents}
    return tuple(
        Estimate(agent, phase, sizes.tokens, sizes.usd)
        for (agent, phase), sizes in session_sizes(past).items()
        if agent in agents
    )


def _tells_price(agent: AgentSpec, past: Sequence[RunView]) -> bool:
    """As its sessions did; of one that had none yet, as agents of its kind do."""
    told = [sizes.usd is not None for (name, _), sizes in session_sizes(past).items() if name == agent.name]
    if told:
        return any(told)
    return agent.kind in _PRICED or (agent.kind is AgentKind.COMMAND and agent.output is OutputFormat.JSONL)


def unpriced_warnings(plan: Plan) -> list[str]:
    """A limit in dollars cannot bind where nobody says what a session costs."""
    budget = plan.budget
    if budget is None or budget.session_usd is not None:
        return []
    in_dollars = [limit for limit in budget.limits if limit.unit is Unit.USD]
    agents = [agent for agent in plan.agents if not _tells_price(agent, ())]
    return [
        f"the price of agent `{agent.name}` is unknown: `{limit.key}` cannot bind for it "
        "(hint: `budget.session_usd` is what each of its sessions then counts as)"
        for agent in agents
        for limit in in_dollars[:1]
        if limit.agent in (None, agent.name)
    ]
