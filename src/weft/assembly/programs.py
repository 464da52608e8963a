"""The programs of a plan's `command` agents are looked for before anything starts."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from weft.errors import UsageError
from weft.model.plan import AgentKind, Plan
from weft.settings.environment import Environment


def refuse_missing_programs(plan: Plan, environment: Environment) -> None:
    """All at once. What is relative may come with the workspace, so that it is left to the session."""
    programs = {spec.name: spec.argv[0] for spec in plan.agents if spec.kind is AgentKind.COMMAND and spec.argv}
    problems = [
        f"agents.{name}.argv: {problem}"
        for name, program in programs.items()
        if (problem := _problem(program, environment))
    ]
    if problems:
        raise UsageError(
            "\n".join(problems), hint="the first word of `argv` is a program on the PATH, or a path to one"
        )


def _problem(program: str, environment: Environment) -> str | None:
    if "{" in program:
        return None
    if "/" not in program:
        found = shutil.which(program, path=environment.search_path)
        return None if found else f"the program `{program}` is not on the PATH"
    path = Path(program)
    if not path.is_absolute():
        return None
    if not path.is_file():
        return f"the program `{program}` does not exist"
    return None if os.access(path, os.X_OK) else f"the program `{program}` is not executable: `chmod +x {program}`"
