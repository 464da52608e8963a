"""`weft locks acquire`: taking a lock for the process that calls, which keeps no kernel lock."""

from __future__ import annotations

import time
from typing import NamedTuple

import click

from weft.cli.locks_place import find_locks, prepare
from weft.cli.locks_words import answer, refuse
from weft.locks.acquire import acquire_for
from weft.locks.folder import LockFolder
from weft.locks.holder import Claim
from weft.locks.looking import check
from weft.locks.messages import blocked
from weft.locks.names import label
from weft.locks.network import network_warning
from weft.locks.signalling import signal_holder
from weft.locks.state import Condition, LockState
from weft.settings.environment import Environment


class Wish(NamedTuple):
    name: str
    claim: Claim
    pid: int
    force: bool
    signal_other: bool


def take(environment: Environment, wish: Wish, *, as_json: bool) -> int:
    folder = find_locks(environment)
    prepare(folder, environment)
    if warning := network_warning(folder):
        click.echo(f"warning: {warning}", err=True)
    if wish.signal_other:
        _signal(folder, wish.name)
    taken = acquire_for(folder, wish.name, wish.claim, wish.pid, force=wish.force)
    if isinstance(taken, LockState):
        return refuse(taken, blocked(taken), hint=None, as_json=as_json)
    now = LockState(wish.name, Condition.HELD, folder.file(wish.name), taken, time.time(), 0.0)
    return answer(now, f"Locked {label(wish.name)} for PID {wish.pid}", ok=True, as_json=as_json)


def _signal(folder: LockFolder, name: str) -> None:
    """One line on what became of the one who has it; nobody to signal where it is free."""
    state = check(folder, name)
    if state.condition is not Condition.FREE:
        click.echo(signal_holder(state).text(state), err=True)
