"""The daemon in this process, from taking its seat to leaving it."""

from __future__ import annotations

from weft.daemon.log import Log
from weft.daemon.seat import Seat
from weft.daemon.stopping import Stopping
from weft.daemon.watchman import Watchman, check_settings
from weft.errors import ExitCode
from weft.settings.environment import Environment
from weft.settings.load import Loaded


async def serve(loaded: Loaded, environment: Environment, *, aloud: bool) -> ExitCode:
    """LockedError where another daemon has the seat. A stop is a good end."""
    check_settings(loaded, environment)
    log = Log(environment, aloud=aloud)
    stopping = Stopping(log)
    watchman = Watchman(loaded, environment, log, stopping)
    with Seat(environment):
        stopping.listen()
        await watchman.watch()
    return ExitCode.OK
