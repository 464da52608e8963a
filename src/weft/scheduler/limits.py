"""Limits on how many jobs may be active, besides the user's cap: one for each who limits, and the smallest holds."""

from __future__ import annotations

from weft.model.events import LimitSet
from weft.model.gauges import LimitSource
from weft.scheduler.stands import NO_LIMIT, Limit
from weft.scheduler.state import State
from weft.scheduler.turn import Turn


def conclude_limit(turn: Turn, source: LimitSource, limit: Limit) -> None:
    """What follows from a reading: noted for everyone who shows it. A run that is over has nothing to limit."""
    if not turn.state.over and limit != turn.state.limits.get(source, NO_LIMIT):
        set_limit(turn.state, source, limit)
        turn.note(LimitSet(at=turn.at, source=source, cap=limit.cap, why=limit.why))


def set_limit(state: State, source: LimitSource, limit: Limit) -> None:
    state.limits[source] = limit
    caps = [(each.cap, each.why) for each in state.limits.values() if each.cap is not None]
    state.governor_cap, state.governor_why = min(caps, key=lambda found: found[0], default=(None, ""))
