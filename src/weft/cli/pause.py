"""`weft pause`."""

from __future__ import annotations

import click

from weft.assembly.history import open_history
from weft.cli.caller import pass_environment
from weft.cli.steering import ask, run_to_steer, tell
from weft.model.events import PauseSet
from weft.ports import ControlRequest, RequestKind
from weft.settings.environment import Environment


@click.command(name="pause")
@click.option("--run", metavar="RUN", help="The run that is meant (default: the one under way).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_environment
def command(environment: Environment, run: str | None, as_json: bool) -> None:
    """Start nothing new in a run under way.

    What runs goes on; `weft resume` lifts it.

    \b
    Examples:
      weft pause
      weft pause --run r-k3m9x2ab
    """
    with open_history(environment) as history:
        record = run_to_steer(history, run, "weft pause")
        request = ControlRequest(RequestKind.PAUSE)
        view = ask(history, record.run, request, lambda event: isinstance(event, PauseSet) and event.paused is True)
    tell(view, "paused: nothing new starts", as_json=as_json)
