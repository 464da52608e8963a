"""`weft locks`: see, take and give back the locks that keep two from working on one issue."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from weft.cli import locks_look
from weft.cli.caller import pass_environment
from weft.cli.locks_place import find_locks
from weft.cli.locks_words import answer, refuse
from weft.errors import UsageError
from weft.locks import clearing, host
from weft.locks.holder import Claim
from weft.locks.messages import what, who
from weft.locks.names import label, parse_name, titled
from weft.locks.state import Condition, LockState
from weft.settings.environment import Environment

C = TypeVar("C", bound=Callable[..., Any])


def _json_option(command: C) -> C:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


@click.group(name="locks", no_args_is_help=False)
def command() -> None:
    """See, take and give back the locks that keep two from working on one issue.

    ISSUE is an issue's number, or the lock name of a job that is no issue (letters, digits, `.`, `_`, `-`, beginning
    with a letter). Exit status 3 says that a lock was refused.

    \b
    Examples:
      weft locks list
      weft locks check 604 && echo free
      weft locks clear 604
    """


@command.command(name="list")
@_json_option
@pass_environment
def list_(environment: Environment, as_json: bool) -> int:
    """Show every lock: who has it, for how long, and whether it is stale."""
    return locks_look.list_locks(environment, as_json=as_json)


@command.command()
@click.argument("issue")
@_json_option
@pass_environment
def check(environment: Environment, issue: str, as_json: bool) -> int:
    """Say whether an issue is being worked on: exit status 1 if it is, 0 if it is free or its lock is stale."""
    return locks_look.check(environment, issue, as_json=as_json)


@command.command(name="check-batch")
@click.argument("issues", metavar="ISSUE...", nargs=-1, required=True)
@_json_option
@pass_environment
def check_batch(environment: Environment, issues: tuple[str, ...], as_json: bool) -> int:
    """Print a line for each of the issues that is being worked on: exit status 1 if any is. Changes nothing."""
    return locks_look.check_batch(environment, issues, as_json=as_json)


@command.command()
@click.argument("issue")
@click.option("--force", is_flag=True, help="Take it over from whoever has it.")
@click.option("--signal-other", is_flag=True, help="With --force: send SIGTERM to the one who has it first.")
@click.option("--pid", type=int, help="The process to hold it for (default: the one that calls weft).")
@click.option("--command", "text", help="What others are told that it is held for.")
@_json_option
@pass_environment
def acquire(
    environment: Environment,
    issue: str,
    force: bool,
    signal_other: bool,
    pid: int | None,
    text: str | None,
    as_json: bool,
) -> int:
    """Take an issue's lock for the calling process, until `weft locks release` or until that process ends.

    From a script, name the process that is to hold it where another program stands in between:

    \b
      weft locks acquire 604 --pid $$
    """
    from weft.cli.locks_acquire import Wish, take

    if signal_other and not force:
        raise UsageError("`--signal-other` needs `--force`", hint="`--force` alone takes over without a signal")
    name = parse_name(issue)
    claim = Claim(text or f"weft locks acquire {name}")
    return take(environment, Wish(name, claim, _pid(pid), force, signal_other), as_json=as_json)


@command.command()
@click.argument("issue")
@click.option("--pid", type=int, help="The process it was taken for (default: the one that calls weft).")
@_json_option
@pass_environment
def release(environment: Environment, issue: str, pid: int | None, as_json: bool) -> int:
    """Give back a lock that `weft locks acquire` took for the calling process."""
    name = parse_name(issue)
    own = pid if pid is not None else os.getppid()
    done = clearing.release_by_pid(find_locks(environment), name, own)
    if not done.ok:
        message = f"{titled(name)} is locked by {who(done.before)} ({what(done.before)}), not by PID {own}"
        hint = f"`--pid` names the process it was taken for; `weft locks clear {name} --force` clears it"
        return refuse(done.before, message, hint=hint, as_json=as_json)
    return answer(_freed(done.before), _told(done.before, "Released"), ok=True, as_json=as_json)


@command.command()
@click.argument("issue")
@click.option("--force", is_flag=True, help="Clear it even if it is held.")
@_json_option
@pass_environment
def clear(environment: Environment, issue: str, force: bool, as_json: bool) -> int:
    """Remove a stale lock. One that is held is refused, unless --force is given."""
    name = parse_name(issue)
    done = clearing.clear(find_locks(environment), name, force=force)
    if not done.ok:
        message = f"{titled(name)} is locked by {who(done.before)} ({what(done.before)}), and not stale"
        return refuse(done.before, message, hint=f"`weft locks clear {name} --force` clears it", as_json=as_json)
    return answer(_freed(done.before), _told(done.before, "Cleared"), ok=True, as_json=as_json)


def _pid(given: int | None) -> int:
    pid = given if given is not None else os.getppid()
    if pid <= 0 or host.process(pid) is None:
        raise UsageError(f"Invalid --pid value: {pid}. There is no such process.")
    return pid


def _freed(before: LockState) -> LockState:
    return LockState(before.name, Condition.FREE, before.path)


def _told(before: LockState, done: str) -> str:
    if before.condition is Condition.FREE:
        return f"{label(before.name)} is not locked"
    return f"{done} {label(before.name)}"
