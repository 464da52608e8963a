"""Who calls: the environment and the folder a command was given."""

from __future__ import annotations

import click

from weft.settings.environment import Environment

pass_environment = click.make_pass_decorator(Environment)
"""Gives a command the `Environment` as its first argument."""
