"""The daemon's loop: waits for the moment, has a run done, waits again (PROJ-8)."""

from __future__ import annotations

import asyncio
import contextlib
import time
import traceback
from datetime import UTC, datetime

import msgspec

from weft.assembly.zones import zone_of
from weft.board.times import iso_time
from weft.daemon.log import Log
from weft.daemon.night import one_night
from weft.daemon.standing import Standing, read_standing, write_standing
from weft.daemon.stopping import Stopping
from weft.daemon.timetable import Timetable, timetable_of
from weft.errors import UsageError, WeftError
from weft.settings.environment import Environment
from weft.settings.load import Loaded, load

TICK = 2.0
"""Seconds between looks at the clock and the settings: a machine that slept, a clock that was set, an edit show so."""


class Watchman:
    def __init__(self, loaded: Loaded, environment: Environment, log: Log, stopping: Stopping) -> None:
        """`loaded`: settings that are known to be right, with a schedule."""
        self._loaded = loaded
        self._environment = environment
        self._log = log
        self._timetable = _timetable(loaded, environment)
        earlier = read_standing(environment)
        self._standing: Standing = msgspec.structs.replace(earlier, running=False, settings_problem=None)
        self._stopping = stopping

    async def watch(self) -> None:
        """Until told to stop."""
        self._log(f"daemon started, settings from {self._loaded.file or self._loaded.user_file or 'defaults'}")
        self._plan_next()
        while not self._stopping.asked.is_set():
            await self._rest()
            if self._stopping.asked.is_set():
                break
            self._read_settings()
            if self._is_due():
                await self._run()
                if not self._stopping.asked.is_set():
                    self._plan_next()
        self._note(next_at=None, running=False)
        self._log("daemon stopped")

    async def _rest(self) -> None:
        """Until the moment, a stop, or a while has passed."""
        due = self._standing.next_at
        seconds = TICK if due is None else min(TICK, max(0.0, due - time.time()))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.asked.wait()

    def _is_due(self) -> bool:
        """A moment that was slept through counts while the window is open, else it is passed over."""
        due = self._standing.next_at
        if due is None or time.time() < due:
            return False
        if self._timetable.is_open(_now()):
            return True
        self._log("the window closed before the run could start")
        self._plan_next()
        return False

    async def _run(self) -> None:
        """Whatever goes wrong in one run, the next one has its turn."""
        self._note(next_at=None, last_start=time.time(), running=True)
        try:
            night = await one_night(self._loaded, self._environment, self._log, self._stopping)
            outcome = night.outcome
        except WeftError as error:
            outcome = f"error: {error.message}" + (f" (hint: {error.hint})" if error.hint else "")
            self._log(outcome)
        except Exception as error:
            outcome = f"a defect in Weft: {type(error).__name__}: {error}"
            self._log(f"{outcome}\n{traceback.format_exc()}")
        self._note(last_end=time.time(), last_outcome=outcome, running=False)

    def _read_settings(self) -> None:
        """Between runs. A bad edit keeps what was there, and is told once."""
        try:
            loaded = load(self._environment)
            timetable = _timetable(loaded, self._environment)
        except WeftError as error:
            if self._standing.settings_problem != error.message:
                self._log(f"settings are kept as they were: {error.message}")
                self._note(settings_problem=error.message)
            return
        if self._standing.settings_problem is not None:
            self._log("settings are right again")
            self._note(settings_problem=None)
        changed = loaded.settings != self._loaded.settings
        self._loaded, self._timetable = loaded, timetable
        if changed:
            self._log("settings were changed")
            self._plan_next()

    def _plan_next(self) -> None:
        last = self._standing.last_start
        since = None if last is None else datetime.fromtimestamp(last, UTC)
        due = self._timetable.next_start(_now(), since)
        if due is None:
            self._log("no run will start: the schedule has no moment within the window")
        elif self._standing.next_at != due.timestamp():
            self._log(f"next run at {iso_time(due.timestamp())}")
        self._note(next_at=None if due is None else due.timestamp())

    def _note(self, **changes: object) -> None:
        self._standing = msgspec.structs.replace(self._standing, **changes)
        write_standing(self._environment, self._standing)


def check_settings(loaded: Loaded, environment: Environment) -> None:
    """UsageError where a daemon could do nothing with them."""
    if _timetable(loaded, environment).next_start(_now()) is None:
        schedule = loaded.settings.schedule
        raise UsageError(
            f"`schedule.cron = {schedule.cron}` has no moment within `schedule.window = {schedule.window}`",
            hint='`window = ""` is always open',
        )


def _timetable(loaded: Loaded, environment: Environment) -> Timetable:
    schedule = loaded.settings.schedule
    return timetable_of(schedule, zone_of(schedule.timezone, environment))


def _now() -> datetime:
    return datetime.now(UTC)
