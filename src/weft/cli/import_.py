"""`weft import`: another tool's settings become a weft.toml."""

from __future__ import annotations

from pathlib import Path

import click

from weft.assembly.import_draft import Imported, Left
from weft.assembly.import_tools import TOOLS, import_file, settings_file
from weft.cli.caller import pass_environment
from weft.cli.printing import note, print_json, print_text
from weft.cli.settings_file import target_in, write_settings
from weft.settings.environment import Environment
from weft.settings.toml_text import toml_text


@click.command(name="import")
@click.argument("tool", type=click.Choice(list(TOOLS)))
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--print", "only_print", is_flag=True, help="Print the settings and write nothing.")
@click.option("--force", is_flag=True, help="Replace a weft.toml that is there.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_environment
def command(
    environment: Environment, tool: str, file: Path | None, only_print: bool, force: bool, as_json: bool
) -> None:
    """Write weft.toml from the settings of another tool, and list what has no counterpart.

    FILE is the tool's settings file; default: where the tool keeps it. That file is left as it is.

    \b
    Examples:
      weft import sequant
      weft import clinvk --print
      weft import nightshift ~/.config/nightshift/config.yaml --force
    """
    source = environment.folder / file if file else settings_file(tool, environment.folder, environment.home)
    imported = import_file(tool, source, environment.folder)
    text = _text(tool, source, imported)
    target = None if only_print else target_in(environment.folder, f"weft import {tool}", force=force)
    if target:
        write_settings(target, text, force=force)
    if as_json:
        print_json(_document(source, target, imported))
    else:
        print_text(text if target is None else f"Wrote {target} from {source}\n")
        _tell(imported.left)


def _text(tool: str, source: Path, imported: Imported) -> str:
    heading = [f"# From {tool}'s {source.name} by `weft import`. `weft config show` prints every setting."]
    without = (
        ["#", "# Without a counterpart:", *(f"#   {_line(left)}" for left in imported.left)] if imported.left else []
    )
    return "\n".join([*heading, *without, "", toml_text(imported.settings)])


def _tell(left: tuple[Left, ...]) -> None:
    """For people: the data is the file."""
    if left:
        note(f"{len(left)} {'value has' if len(left) == 1 else 'values have'} no counterpart:")
    for each in left:
        note(f"  {_line(each)}")


def _line(left: Left) -> str:
    return f"{left.key} = {left.value}: {left.reason}"


def _document(source: Path, target: Path | None, imported: Imported) -> dict[str, object]:
    return {
        "from": str(source),
        "file": str(target) if target else None,
        "settings": imported.settings,
        "left": [{"key": left.key, "value": left.value, "reason": left.reason} for left in imported.left],
    }
