"""`weft schema`: what task files may hold, as JSON Schema."""

from __future__ import annotations

import click

from weft.cli.printing import print_json
from weft.sources.task_fields import FILES, schema_of


@click.command(name="schema")
@click.argument("kind", metavar="KIND", type=click.Choice(list(FILES)), default="tasks")
def command(kind: str) -> None:
    """Print the JSON Schema of a file: tasks (for weft parallel), chain or compare.

    Editors complete and check a file by it where its first key is "$schema".

    \b
    Examples:
      weft schema tasks > tasks.schema.json
      weft schema chain | jq '."$defs".StepEntry.properties | keys'
    """
    print_json(schema_of(kind))
