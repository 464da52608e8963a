"""`weft run --dry-run`: what would run, in which order, under which limits."""

from __future__ import annotations

import json

import click

from weft.model.plan import Plan
from weft.ports import Journal


def show_plan(plan: Plan, journal: Journal, *, as_json: bool) -> None:
    rows = [{"key": str(job.key), "title": job.title, "branch": job.branch} for job in plan.jobs]
    if as_json:
        click.echo(json.dumps({"mode": plan.mode.value, "cap": plan.cap, "jobs": rows}, indent=2))
        return
    for row in rows:
        click.echo(f"{row['key']}  {row['title']}  {row['branch']}")
