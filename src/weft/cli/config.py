"""`weft config`: the settings as they hold here."""

from __future__ import annotations

import json

import click

from weft.assembly.pipeline import default_agent, run_pipeline
from weft.cli.caller import pass_environment
from weft.settings.effective import Effective, effective_values
from weft.settings.environment import Environment
from weft.settings.load import Loaded, load


@click.group(name="config", no_args_is_help=False)
def command() -> None:
    """Show the settings and where each came from."""


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_environment
def show(environment: Environment, as_json: bool) -> None:
    """Show every effective value and where it came from.

    A flag beats a variable WEFT_<SECTION>_<KEY>, which beats the repo's weft.toml, which beats the user's config.toml.
    """
    loaded = load(environment)
    # What the settings say of phases can only be checked against the pipeline.
    run_pipeline(loaded, None, default_agent(loaded.settings))
    values = effective_values(loaded, loaded.folder)
    click.echo(_document(loaded, values) if as_json else _table(values))


def _document(loaded: Loaded, values: list[Effective]) -> str:
    files = [str(path) for path in (loaded.file, loaded.user_file) if path]
    listed = {value.key: {"value": value.value, "source": value.source} for value in values}
    return json.dumps({"files": files, "settings": listed}, indent=2, ensure_ascii=False)


def _table(values: list[Effective]) -> str:
    lines = [f"{value.key} = {_written(value.value)}" for value in values]
    width = min(60, max(len(line) for line in lines))
    return "\n".join(f"{line:<{width}}  # {value.source}" for line, value in zip(lines, values, strict=True))


def _written(value: object) -> str:
    return "(not set)" if value is None else json.dumps(value, ensure_ascii=False)
