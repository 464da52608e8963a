"""The command line, as `--help` tells it."""

from __future__ import annotations

from collections.abc import Iterator

import click

from weft.cli import registry
from weft.cli.main import weft

WIDTH = 100


def overview() -> str:
    """The commands by group, one line each."""
    lines: list[str] = []
    for group, commands in registry.available().items():
        lines += [f"**{group}**", ""]
        lines += [f"- [`weft {name}`](#weft-{name}): {text.lower()[:1]}{text[1:]}" for name, text in commands.items()]
        lines.append("")
    return "\n".join(lines)


def every_command() -> str:
    return "\n\n".join(_page(path, command) for path, command in walk())


def walk() -> Iterator[tuple[str, click.Command]]:
    """Every command and subcommand, by its full name."""
    for name in registry.names():
        command = weft.get_command(click.Context(weft), name)
        assert command is not None
        yield f"weft {name}", command
        if isinstance(command, click.Group):
            yield from ((f"weft {name} {sub}", inner) for sub, inner in command.commands.items())


def _page(path: str, command: click.Command) -> str:
    context = click.Context(command, info_name=path, terminal_width=WIDTH, max_content_width=WIDTH)
    context.help_option_names = ["-h", "--help"]
    return f"## {path}\n\n```text\n{command.get_help(context).strip()}\n```"
