"""`weft cap N`: how many jobs may be active in a run under way."""

from __future__ import annotations

import click

from weft.assembly.history import open_history
from weft.cli.caller import pass_environment
from weft.cli.steering import ask, run_to_steer, tell
from weft.errors import UsageError
from weft.model.events import CapSet
from weft.ports import ControlRequest, RequestKind
from weft.settings.check import Checked, check_leaf
from weft.settings.environment import Environment
from weft.settings.problem import Origin, OriginKind
from weft.settings.schema import rule_of

CONCURRENCY = ("run", "concurrency")
"""The setting whose rule the cap follows."""


@click.command(name="cap", context_settings={"ignore_unknown_options": True})
@click.argument("number", metavar="N")
@click.option("--run", metavar="RUN", help="The run that is meant (default: the one under way).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_environment
def command(environment: Environment, number: str, run: str | None, as_json: bool) -> None:
    """Set how many jobs may be active in a run under way.

    Takes effect within a second. Lowering it stops nothing: fewer are started as others end. `weft pause` starts none.

    \b
    Examples:
      weft cap 1
      weft cap 5 --run r-k3m9x2ab
    """
    wanted = _parsed(number)
    with open_history(environment) as history:
        record = run_to_steer(history, run, f"weft cap {wanted}")
        request = ControlRequest(RequestKind.CAP, cap=wanted)
        view = ask(history, record.run, request, lambda event: isinstance(event, CapSet) and event.cap == wanted)
    tell(view, f"the cap is {wanted} now", as_json=as_json)


def _parsed(text: str) -> int:
    rule = rule_of(CONCURRENCY)
    checked = Checked(Origin(OriginKind.FLAG, "cap"))
    check_leaf(checked, CONCURRENCY, rule, rule.from_text(text.strip()))
    if checked.problems:
        raise UsageError("\n".join(checked.problems), hint="`weft pause` starts nothing new")
    return int(str(checked.values[CONCURRENCY]))
