"""Admission by the machine (GOV-4): free memory, free disk, load. Over the line nothing new starts."""

from __future__ import annotations

from weft.model.events import MachineRead
from weft.model.gauges import LimitSource
from weft.model.governing import MachinePlan
from weft.model.sizes import size_text
from weft.scheduler.limits import conclude_limit
from weft.scheduler.stands import NO_LIMIT, Limit, Line, MachineStand
from weft.scheduler.state import State
from weft.scheduler.turn import Turn

MARGIN = 0.1
"""The share of a line by which the machine must be on the good side again, so that it does not go on and off."""


def apply_machine(turn: Turn, event: MachineRead) -> None:
    """Take a reading in; the caller admits."""
    turn.state.machine = next_stand(_rules(turn.state), turn.state.machine, event)
    conclude_machine(turn)


def conclude_machine(turn: Turn) -> None:
    """The limit, from the latest reading and the user's cap as it is now."""
    state = turn.state
    conclude_limit(turn, LimitSource.MACHINE, machine_limit(_rules(state), state.machine, state.cap))


def next_stand(rules: MachinePlan, before: MachineStand, event: MachineRead) -> MachineStand:
    over = tuple(line for line in Line if _is_over(line, rules, event, held=line in before.over))
    return MachineStand(over, _room(rules, before.room, event), event)


def machine_limit(rules: MachinePlan, stand: MachineStand, cap: int) -> Limit:
    if stand.reading is None:
        return NO_LIMIT
    if stand.over:
        return Limit(0, "; ".join(_line_text(line, rules, stand.reading) for line in stand.over))
    if stand.room is None or stand.room >= cap:
        return NO_LIMIT
    return Limit(stand.room, _room_text(rules, stand.reading))


def machine_matters(state: State, event: MachineRead) -> bool:
    """Whether a reading changes what may start; its figures alone do not."""
    rules, before = _rules(state), state.machine
    after = next_stand(rules, before, event)
    caps = [machine_limit(rules, stand, state.cap).cap for stand in (before, after)]
    return before.over != after.over or caps[0] != caps[1]


def _is_over(line: Line, rules: MachinePlan, event: MachineRead, *, held: bool) -> bool:
    match line:
        case Line.MEMORY:
            return _is_low(event.free_memory, rules.min_free_memory, held=held)
        case Line.DISK:
            return _is_low(event.free_disk, rules.min_free_disk, held=held)
        case Line.LOAD:
            most = rules.max_load * (1 - MARGIN) if held else rules.max_load
            return bool(rules.max_load) and event.load is not None and event.load > most


def _is_low(free: int | None, least: int, *, held: bool) -> bool:
    """What could not be read stops nothing."""
    return bool(least) and free is not None and free < (least * (1 + MARGIN) if held else least)


def _room(rules: MachinePlan, before: int | None, event: MachineRead) -> int | None:
    """How many sessions of the hungriest agent fit at once, those under way included; never less than one."""
    need = max((need.memory for need in event.needs), default=0)
    if not need or not rules.min_free_memory or event.free_memory is None:
        return None
    spare = event.free_memory + event.in_use - rules.min_free_memory
    fit = max(1, spare // need)
    if before is None or fit <= before:
        return fit
    return max(before, int((spare - need * MARGIN) // need))


def _line_text(line: Line, rules: MachinePlan, event: MachineRead) -> str:
    match line:
        case Line.MEMORY:
            return f"{size_text(event.free_memory or 0)} memory free, under {_least('memory', rules.min_free_memory)}"
        case Line.DISK:
            return f"{size_text(event.free_disk or 0)} disk free, under {_least('disk', rules.min_free_disk)}"
        case Line.LOAD:
            return f"load {event.load or 0:.1f} per core, over machine.max_load = {rules.max_load:g}"


def _least(what: str, least: int) -> str:
    """With the margin, since that is what it must rise over."""
    return f"machine.min_free_{what} = {size_text(least)} (and a tenth more to go on)"


def _room_text(rules: MachinePlan, event: MachineRead) -> str:
    need = max(event.needs, key=lambda need: need.memory)
    free = size_text(event.free_memory or 0)
    kept = size_text(rules.min_free_memory)
    return f"{free} memory free, {kept} to be left; a session of {need.agent} was seen to use {size_text(need.memory)}"


def _rules(state: State) -> MachinePlan:
    return (state.plan.machine if state.plan else None) or MachinePlan()
