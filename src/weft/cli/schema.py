"""`weft schema`: what task files and plan files may hold, as JSON Schema."""

from __future__ import annotations

import click
import msgspec

from weft.cli.printing import print_json
from weft.sources.task_fields import FILES, schema_of
from weft.sources.wave_fields import WaveFile

SHAPES: dict[str, type[msgspec.Struct]] = {**FILES, "wave": WaveFile}


@click.command(name="schema")
@click.argument("kind", metavar="KIND", type=click.Choice(list(SHAPES)), default="tasks")
def command(kind: str) -> None:
    """Print the JSON Schema of a file: tasks (for weft parallel), chain, compare or wave.

    Editors complete and check a file by it where its first key is "$schema".

    \b
    Examples:
      weft schema tasks > tasks.schema.json
      weft schema chain | jq '."$defs".StepEntry.properties | keys'
    """
    print_json(schema_of(kind, SHAPES[kind]))
