"""`weft daemon run-once`: one turn of the daemon, here and now."""

from __future__ import annotations

from weft.board.document import run_document
from weft.cli.printing import print_json, print_text
from weft.daemon.log import Log
from weft.daemon.night import one_night
from weft.daemon.stopping import Stopping
from weft.errors import ExitCode
from weft.settings.environment import Environment
from weft.settings.load import Loaded


async def once(loaded: Loaded, environment: Environment, *, as_json: bool) -> ExitCode:
    """It needs no seat: a project that the daemon has in hand is left to it."""
    log = Log(environment, aloud=True)
    stopping = Stopping(log)
    stopping.listen()
    night = await one_night(loaded, environment, log, stopping)
    if as_json:
        print_json(run_document(night.view) if night.view else {"run": None, "nothing": night.outcome})
    else:
        print_text(f"{night.outcome}\n")
    return night.code
