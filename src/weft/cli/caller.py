"""Who calls: the environment a command was given, and its words."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, TypeVar

import click

from weft.settings.environment import Environment

T = TypeVar("T")


def pass_environment(command: Callable[..., T]) -> Callable[..., T]:
    """Gives a command the `Environment` as its first argument."""

    def called(*args: Any, **options: Any) -> T:
        environment = click.get_current_context().find_object(Environment)
        return command(environment, *args, **options)

    return update_wrapper(called, command)


def command_line() -> str:
    """For people who look at the run later."""
    return shlex.join(["weft", *sys.argv[1:]])
