"""Options that `weft run` and `weft wave run` have in common, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from weft.cli.drive import Display, Show
from weft.errors import UsageError
from weft.settings.load import Flag

_Command = TypeVar("_Command", bound=Callable[..., Any])


def how_options(command: _Command) -> _Command:
    """How hard it is tried, and against whom."""
    for option in reversed(_HOW):
        command = option(command)
    return command


def display_options(command: _Command) -> _Command:
    """What is shown of it."""
    for option in reversed(_DISPLAY):
        command = option(command)
    return command


_HOW = (
    click.option("--quality-loop", metavar="N", help="How often exec runs again with what qa found (default 3)."),
    click.option("--retry/--no-retry", default=None, help="Whether attempts are made again after transient failures."),
    click.option("--force", is_flag=True, help="Also run finished issues, and take over locks that others hold."),
    click.option("--signal-other", is_flag=True, help="With --force: send SIGTERM to whoever holds a lock first."),
    click.option("--override-usage", is_flag=True, help="Take no notice of the usage meter of `[usage]`."),
)
_DISPLAY = (
    click.option("--quiet", is_flag=True, help="Print the summary alone."),
    click.option("--verbose", is_flag=True, help="Also show what the agents print, each line under its issue."),
    click.option("--board", is_flag=True, help="Show a live board instead of lines."),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON document at the end."),
    click.option("--json-stream", is_flag=True, help="Print one JSON event per line as it happens."),
)
_SHOWS = {"quiet": Show.QUIET, "board": Show.BOARD, "as_json": Show.JSON, "json_stream": Show.JSON_STREAM}


def display_of(options: Mapping[str, Any]) -> Display:
    """What is shown: one way at a time."""
    given = [name for name in _SHOWS if options[name]]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(map(_flag, given))} exclude each other")
    if options["verbose"] and given:
        raise UsageError(f"--verbose and {_flag(given[0])} exclude each other")
    return Display(_SHOWS[given[0]] if given else Show.LINES, options["verbose"])


def phases_of(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(name.strip() for name in text.split(",") if name.strip())


def flags_of(options: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, Flag]:
    """What was given of the options that stand for a setting; `keys`: the setting of each."""
    return {key: Flag(_flag(name), options[name]) for name, key in keys.items() if options[name] is not None}


def refuse_signal_without_force(options: Mapping[str, Any]) -> None:
    if options["signal_other"] and not options["force"]:
        raise UsageError("--signal-other goes with --force", hint="`--force --signal-other` takes a lock over")


def _flag(name: str) -> str:
    return "--" + name.removeprefix("as_").replace("_", "-")
