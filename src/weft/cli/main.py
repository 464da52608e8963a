"""The `weft` command: finds the subcommand, imports it, and leaves errors to `weft.cli.errors`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

import click

from weft.cli import registry
from weft.cli.errors import guarded
from weft.model.spelling import closest
from weft.settings.environment import Environment
from weft.version import __version__


class LazyGroup(click.Group):
    """A group that knows its commands' names and help, and imports a command only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return registry.names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in registry.names():
            return None
        command: click.Command = import_module(registry.module_of(cmd_name)).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and name not in registry.names():
            near = closest(name, registry.names())
            raise click.UsageError(f"unknown command `{name}`" + (f", did you mean `{near}`?" if near else ""), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for group, commands in registry.available().items():
            with formatter.section(group):
                formatter.write_dl(list(commands.items()))


@click.command(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="weft %(version)s")
@click.pass_context
def weft(ctx: click.Context) -> None:
    """Run many AI coding agents at once, each in its own git worktree."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(args: Sequence[str], environment: Environment | None = None) -> int:
    """Run the command line and answer its exit code."""
    given = environment or Environment.read()
    return guarded(lambda: _invoke(args, given), given, args)


def _invoke(args: Sequence[str], environment: Environment) -> int:
    colour = None if environment.wants_colour else False
    answer = weft.main(list(args), prog_name="weft", standalone_mode=False, obj=environment, color=colour)
    return int(answer or 0)
