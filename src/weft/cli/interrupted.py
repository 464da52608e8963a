"""Says that an earlier run was interrupted, before a new one begins in the same repo."""

from __future__ import annotations

from pathlib import Path

import click

from weft.assembly.local import layout_of
from weft.assembly.recover import interrupted_runs
from weft.model.plan import Plan
from weft.ports import Journal
from weft.settings.environment import Environment


def tell_interrupted(journal: Journal, environment: Environment, plan: Plan) -> None:
    for repo in plan.repos:
        for record in interrupted_runs(journal, layout_of(environment), Path(repo.path)):
            click.echo(
                f"note: run {record.run} in this repo was interrupted; `weft recover {record.run}` goes on with it",
                err=True,
            )
