"""The usage steps (WAVE-5): full cap, two thirds, a third, nothing new; and up again only with a margin."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from weft.model.events import UsageRead
from weft.model.gauges import LimitSource
from weft.model.governing import UsagePlan
from weft.scheduler.limits import conclude_limit
from weft.scheduler.stands import Limit, UsageStand
from weft.scheduler.state import State
from weft.scheduler.turn import Turn

WORTH_TELLING = 1.0
"""Points by which the governing meter has moved when it is written down though no step follows."""


def apply_usage(turn: Turn, event: UsageRead) -> None:
    """Take a reading in; the caller admits."""
    turn.state.usage = next_stand(_rules(turn.state), turn.state.usage, event)
    conclude_usage(turn)


def conclude_usage(turn: Turn) -> None:
    """The limit, from the latest reading and the user's cap as it is now."""
    state = turn.state
    if state.usage is not None:
        conclude_limit(turn, LimitSource.USAGE, usage_limit(_rules(state), state.usage, state.cap))


def next_stand(rules: UsagePlan, before: UsageStand | None, event: UsageRead) -> UsageStand:
    """An unreadable meter leaves the step where it is."""
    before = before or UsageStand()
    if event.unknown is not None or not event.meters:
        return msgspec.structs.replace(before, unknown=event.unknown or "no meter was read")
    governing = max(event.meters, key=lambda meter: meter.percent)
    return UsageStand(step_at(governing.percent, before.step, rules.steps, rules.margin), governing)


def step_at(percent: float, before: int, steps: Sequence[float], margin: float) -> int:
    """Down as soon as a threshold is reached; up again only at `margin` points below it."""
    reached = sum(percent >= threshold for threshold in steps)
    not_left = sum(percent > threshold - margin for threshold in steps)
    return max(reached, min(before, not_left))


def cap_at(step: int, cap: int) -> int | None:
    """What a step leaves of a cap; None: all of it."""
    match step:
        case 0:
            return None
        case 1:
            return -(-2 * cap // 3)
        case 2:
            return -(-cap // 3)
        case _:
            return 0


def usage_limit(rules: UsagePlan, stand: UsageStand, cap: int) -> Limit:
    return Limit(cap_at(stand.step, cap), _why(rules, stand))


def usage_matters(state: State, event: UsageRead) -> bool:
    """Whether a reading is worth an entry in the journal."""
    before, after = state.usage, next_stand(_rules(state), state.usage, event)
    if before is None or (before.step, before.unknown is None) != (after.step, after.unknown is None):
        return True
    if before.governing is None or after.governing is None:
        return before.governing is not after.governing
    return abs(before.governing.percent - after.governing.percent) >= WORTH_TELLING


def _rules(state: State) -> UsagePlan:
    return (state.plan.usage if state.plan else None) or UsagePlan()


def _why(rules: UsagePlan, stand: UsageStand) -> str:
    if stand.unknown is not None:
        return f"usage unknown: {stand.unknown}; the cap holds where it is"
    if not stand.step or stand.governing is None:
        return ""
    threshold = rules.steps[stand.step - 1]
    meter = stand.governing
    return f"usage {meter.name} {meter.percent:g} %, step at {threshold:g} % until {threshold - rules.margin:g} %"
