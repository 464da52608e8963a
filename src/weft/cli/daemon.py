"""`weft daemon`: the same as `weft projects run`, on a schedule."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

import click

from weft.cli import daemon_control
from weft.cli.caller import pass_environment
from weft.settings.environment import Environment
from weft.settings.load import load

C = TypeVar("C", bound=Callable[..., Any])


def _json_option(command: C) -> C:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


@click.group(name="daemon", no_args_is_help=False)
def command() -> None:
    """Do maintenance tasks over all projects on a schedule.

    The schedule is `cron` or `every`, and `window`, under [schedule] in weft.toml. There is one daemon per user.

    \b
    Examples:
      weft daemon start
      weft daemon status
      weft daemon run-once
      weft daemon stop
    """


@command.command()
@click.option("--foreground", is_flag=True, help="Stay here, and tell what happens on stderr.")
@click.option("--to-log", is_flag=True, hidden=True, help="Tell it to the log alone.")
@_json_option
@pass_environment
def start(environment: Environment, foreground: bool, to_log: bool, as_json: bool) -> int:
    """Start the daemon: detached, or in the foreground.

    Its settings are those of the current folder, read again between runs. Exit status 3: one is running already.

    \b
    Examples:
      weft daemon start
      weft daemon start --foreground
    """
    if not foreground:
        return daemon_control.start(environment, as_json=as_json)
    from weft.daemon.serve import serve

    return asyncio.run(serve(load(environment), environment, aloud=not to_log))


@command.command()
@_json_option
@pass_environment
def stop(environment: Environment, as_json: bool) -> int:
    """Stop the daemon: nothing new starts, and what runs has the grace period to come to its end.

    \b
    Examples:
      weft daemon stop
    """
    return daemon_control.stop(environment, as_json=as_json)


@command.command()
@_json_option
@pass_environment
def status(environment: Environment, as_json: bool) -> int:
    """Say whether it is running, when it runs next, and what came of the last time.

    \b
    Examples:
      weft daemon status
      weft daemon status --json | jq .next_run_at
    """
    return daemon_control.status(environment, as_json=as_json)


@command.command()
@click.option("--lines", type=click.IntRange(min=1), default=50, metavar="N", help="How many (default 50).")
@click.option("--follow", is_flag=True, help="Go on with what comes, until Ctrl-C.")
@_json_option
@pass_environment
def logs(environment: Environment, lines: int, follow: bool, as_json: bool) -> int:
    """Show the end of the daemon's log.

    \b
    Examples:
      weft daemon logs
      weft daemon logs --follow
    """
    from weft.cli.daemon_logs import show_logs

    return show_logs(environment, lines, follow=follow, as_json=as_json)


@command.command(name="run-once")
@_json_option
@pass_environment
def run_once(environment: Environment, as_json: bool) -> int:
    """Do now, here, what the daemon does at its time, and go.

    \b
    Examples:
      weft daemon run-once
      weft daemon run-once --json | jq .errors
    """
    from weft.cli.daemon_once import once

    return asyncio.run(once(load(environment), environment, as_json=as_json))


@command.command()
@click.option("--manager", type=click.Choice(["systemd", "launchd"]), help="Default: what this system has.")
@click.option("--print", "only_print", is_flag=True, help="Print it, and write nothing.")
@click.option("--force", is_flag=True, help="Also over a file that says something else.")
@_json_option
@pass_environment
def install(environment: Environment, manager: str | None, only_print: bool, force: bool, as_json: bool) -> int:
    """Write a systemd user unit or a launchd plist that runs the foreground daemon.

    It is written, not started: the command for that is shown.

    \b
    Examples:
      weft daemon install
      weft daemon install --print
    """
    from weft.cli.daemon_install import install_unit

    return install_unit(load(environment), environment, manager, only_print=only_print, force=force, as_json=as_json)
