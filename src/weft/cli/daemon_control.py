"""Starting, stopping and asking a daemon that is another process."""

from __future__ import annotations

import os
import signal
import sys
import time

from weft.board.document import Document
from weft.board.times import iso_time
from weft.cli.printing import print_json, print_text
from weft.daemon.log import log_path
from weft.daemon.seat import Holder, seated, taken
from weft.daemon.standing import Standing, read_standing
from weft.daemon.watchman import check_settings
from weft.errors import ExitCode, ProcessError, UsageError
from weft.processes.detached import Detached, start_detached
from weft.processes.identity import identity_of
from weft.settings.environment import Environment
from weft.settings.load import load
from weft.settings.sections import Settings
from weft.stores.folders import make_folder

ARGV = ("-m", "weft", "daemon", "start", "--foreground")
LOOK_EVERY = 0.02
START_PATIENCE = 30.0
SAVING = 60.0
"""Seconds besides the grace period: work is saved and the report written."""


def start(environment: Environment, *, as_json: bool) -> ExitCode:
    """What is wrong with the settings is said here, and not only in a log that nobody reads."""
    check_settings(load(environment), environment)
    if seated(environment) is not None:
        raise taken(environment)
    log = log_path(environment)
    make_folder(log.parent)
    argv = [sys.executable, *ARGV, "--to-log"]
    holder = _await_seat(start_detached(argv, environment.folder, environment.variables, log), environment)
    if as_json:
        print_json({"running": True, "pid": holder.process.pid, "log": str(log)})
    else:
        print_text(f"daemon started (PID {holder.process.pid}); its log is {log}\n")
    return ExitCode.OK


def _await_seat(process: Detached, environment: Environment) -> Holder:
    deadline = time.monotonic() + START_PATIENCE
    while time.monotonic() < deadline:
        holder = seated(environment)
        if holder is not None and holder.process.pid == process.pid:
            process.let_go()
            return holder
        if process.exit_status is not None:
            if process.exit_status == ExitCode.LOCKED:
                raise taken(environment)
            break
        time.sleep(LOOK_EVERY)
    process.let_go()
    raise ProcessError("the daemon did not start", hint=f"`weft daemon logs` or {log_path(environment)} may say why")


def stop(environment: Environment, *, as_json: bool) -> ExitCode:
    """Returns when it is gone."""
    holder = seated(environment)
    if holder is None:
        _say_stopped(None, as_json=as_json)
        return ExitCode.OK
    os.kill(holder.process.pid, signal.SIGTERM)
    deadline = time.monotonic() + 2 * _grace(environment) + SAVING
    while identity_of(holder.process.pid) == holder.process:
        if time.monotonic() > deadline:
            raise ProcessError(
                f"the daemon (PID {holder.process.pid}) does not end", hint="`weft daemon stop` again does not wait"
            )
        time.sleep(LOOK_EVERY)
    _say_stopped(holder.process.pid, as_json=as_json)
    return ExitCode.OK


def _grace(environment: Environment) -> float:
    """As far as one can tell: who stops a daemon is not stopped by settings that are wrong."""
    try:
        return load(environment).settings.grace
    except UsageError:
        return Settings().grace


def _say_stopped(pid: int | None, *, as_json: bool) -> None:
    if as_json:
        print_json({"running": False, "pid": pid})
    else:
        print_text("no daemon is running\n" if pid is None else f"daemon stopped (PID {pid})\n")


def status(environment: Environment, *, as_json: bool) -> ExitCode:
    holder, standing = seated(environment), read_standing(environment)
    if as_json:
        print_json(_document(holder, standing))
    else:
        print_text("\n".join(_lines(holder, standing)) + "\n")
    return ExitCode.OK


def _document(holder: Holder | None, standing: Standing) -> Document:
    return {
        "running": holder is not None,
        "pid": holder.process.pid if holder else None,
        "since": _time(holder.since if holder else None),
        "folder": holder.folder if holder else None,
        "at_work": holder is not None and standing.running,
        "next_run_at": _time(standing.next_at if holder else None),
        "last_run": {
            "started_at": _time(standing.last_start),
            "ended_at": _time(standing.last_end),
            "outcome": standing.last_outcome,
        },
        "settings_problem": standing.settings_problem if holder else None,
    }


def _lines(holder: Holder | None, standing: Standing) -> list[str]:
    if holder is None:
        lines = ["daemon: not running"]
    else:
        lines = [f"daemon: running since {_time(holder.since)} (PID {holder.process.pid}), in {holder.folder}"]
        lines += (
            ["now: a run is under way"] if standing.running else [f"next run: {_time(standing.next_at) or 'never'}"]
        )
    if standing.last_start is not None:
        lines.append(f"last run: {_time(standing.last_start)}, {standing.last_outcome or 'without an end'}")
    if holder is not None and standing.settings_problem:
        lines.append(f"warning: settings are kept as they were: {standing.settings_problem}")
    return lines


def _time(at: float | None) -> str | None:
    return None if at is None else iso_time(at)
