"""`weft resume`."""

from __future__ import annotations

import click

from weft.assembly.history import open_history
from weft.cli.caller import pass_environment
from weft.cli.steering import ask, run_to_steer, tell
from weft.model.events import PauseSet
from weft.ports import ControlRequest, RequestKind
from weft.settings.environment import Environment


@click.command(name="resume")
@click.option("--run", metavar="RUN", help="The run that is meant (default: the one under way).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_environment
def command(environment: Environment, run: str | None, as_json: bool) -> None:
    """Lift the pause of a run under way.

    Only what `weft pause` set is lifted: a lower cap stays.

    \b
    Examples:
      weft resume
      weft resume --run r-k3m9x2ab
    """
    with open_history(environment) as history:
        record = run_to_steer(history, run, "weft resume")
        request = ControlRequest(RequestKind.RESUME)
        view = ask(history, record.run, request, lambda event: isinstance(event, PauseSet) and event.paused is False)
    tell(view, "the pause is lifted", as_json=as_json)
