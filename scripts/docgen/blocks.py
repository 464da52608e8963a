"""The blocks of pages, and who makes each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from scripts.docgen import agents, commands, issues, journal, outcomes, settings, tasks

Maker = Callable[[], str]

GENERATED: dict[str, Maker] = {
    "commands": commands.every_command,
    "command list": commands.overview,
    "settings": settings.every_setting,
    "variables": settings.other_variables,
    "events": journal.events,
    "job states": journal.job_states,
    "queue states": journal.queue_states,
    "job statuses": journal.job_statuses,
    "phase statuses": journal.phase_statuses,
    "run statuses": journal.run_statuses,
    "failure classes": journal.failure_classes,
    "exit codes": outcomes.exit_codes,
    "errors": outcomes.error_tree,
    "issue keys": issues.keys,
    "task file": tasks.task_file,
    "chain file": tasks.chain_file,
    "compare file": tasks.compare_file,
    "wave file": tasks.wave_file,
    "agent lines": agents.lines,
    "agent environment": agents.environment,
}

_BLOCK = re.compile(
    r"(?P<head><!-- (?P<kind>generated|recorded): (?P<name>[a-z ]+) -->\n)(?P<body>.*?)(?P<foot><!-- end -->)",
    re.DOTALL,
)


def pages(root: Path) -> Iterator[Path]:
    """Every page there is."""
    yield from sorted(root.glob("*.md"))
    yield from sorted((root / "docs").rglob("*.md"))


def rewritten(text: str, makers: Mapping[str, Maker]) -> str:
    """The page with the blocks that these makers know made anew; an unknown `generated` one is an error."""

    def fill(found: re.Match[str]) -> str:
        name = found["name"]
        if name not in makers:
            if found["kind"] == "generated":
                raise KeyError(f"nobody makes the block `{name}`")
            return found[0]
        return f"{found['head']}\n{makers[name]().strip()}\n\n{found['foot']}"

    return _BLOCK.sub(fill, text)
