"""`weft doctor`: is all there that runs need."""

from __future__ import annotations

import asyncio

import click

from weft.assembly.doctor import examine
from weft.assembly.doctor_finding import Finding, Health
from weft.cli.caller import pass_environment
from weft.cli.printing import print_json, print_text
from weft.errors import ExitCode
from weft.settings.environment import Environment

_WORDS = {Health.OK: "ok", Health.NOTE: "-", Health.WARNING: "warning", Health.PROBLEM: "PROBLEM"}


@click.command(name="doctor")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_environment
def command(environment: Environment, as_json: bool) -> ExitCode:
    """Check git, settings, GitHub, state, disk, agents and sandbox, and say how to mend each thing.

    No token is spent, and nothing is changed. Exit 1 if something would make runs fail.

    \b
    Examples:
      weft doctor
      weft doctor --json
    """
    findings = asyncio.run(examine(environment))
    healthy = all(finding.health is not Health.PROBLEM for finding in findings)
    if as_json:
        print_json({"ok": healthy, "checks": [_as_data(finding) for finding in findings]})
    else:
        print_text("".join(map(_as_text, findings)))
    return ExitCode.OK if healthy else ExitCode.FAILED


def _as_data(finding: Finding) -> dict[str, str | None]:
    return {"name": finding.name, "status": finding.health.value, "detail": finding.said, "hint": finding.hint}


def _as_text(finding: Finding) -> str:
    line = f"{_WORDS[finding.health]:<8} {finding.name:<15} {finding.said}\n"
    return line if finding.hint is None else f"{line}{'':<25}hint: {finding.hint}\n"
