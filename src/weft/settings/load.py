"""Loads the settings: flag over environment over the repo's file over the user's file over the default."""

from __future__ import annotations

from collections.abc import Mapping
from os.path import lexists
from pathlib import Path
from typing import Any

import msgspec

from weft.errors import SettingsError
from weft.settings.build import build
from weft.settings.check import Checked, check_file, check_leaf
from weft.settings.coherence import incoherences
from weft.settings.environment import Environment
from weft.settings.files import find_file, home_of, read_file
from weft.settings.problem import Origin, OriginKind, Origins, problems_error
from weft.settings.schema import rule_of
from weft.settings.sections import Settings
from weft.settings.variables import check_variables

HINT = "nothing was started; a key that is left out has its default"


class Flag(msgspec.Struct, frozen=True):
    """A flag of the command line that sets a key: its name and the text or value it was given."""

    name: str
    value: object


class Loaded(msgspec.Struct, frozen=True):
    """The settings, and how they came about."""

    settings: Settings
    origins: Origins
    """Where each value that is not a default came from."""
    folder: Path
    """What relative paths in the settings are meant from: the folder of `weft.toml`, else the current one."""
    file: Path | None
    """The `weft.toml` that was found."""
    user_file: Path | None


def load(environment: Environment, folder: Path | None = None, flags: Mapping[str, Flag] | None = None) -> Loaded:
    """The settings for `folder` (default: the current one). Flags are by dotted key, `run.concurrency`.

    Raises SettingsError with every problem of every source.
    """
    start = (folder or environment.folder).absolute()
    file = find_file(start)
    user_file = environment.config_file if lexists(environment.config_file) else None
    sources = [
        *(_check_path(path, start) for path in (user_file, file) if path),
        *check_variables(environment),
        *(_check_flag(key, flag) for key, flag in (flags or {}).items()),
    ]
    return _merged(sources, home_of(file) if file else start, file, user_file)


def load_repo(environment: Environment, root: Path) -> Loaded:
    """The settings of a repo that is worked on from elsewhere. Files are named in full, since there are several; what
    a file outside the repo says of paths is meant from the repo all the same.
    """
    file = find_file(root)
    user_file = environment.config_file if lexists(environment.config_file) else None
    sources = [
        *(_check_path(path, environment.folder) for path in (user_file, file) if path),
        *check_variables(environment),
    ]
    loaded = _merged(sources, home_of(file) if file else root, file, user_file)
    return loaded if loaded.folder == root else msgspec.structs.replace(loaded, folder=root)


def _merged(sources: list[Checked], folder: Path, file: Path | None, user_file: Path | None) -> Loaded:
    """Later sources win."""
    problems = [problem for checked in sources for problem in checked.problems]
    values = {key: value for checked in sources for key, value in checked.values.items()}
    origins = {key: checked.origin for checked in sources for key in checked.values}
    settings = build(Settings, values)
    problems += incoherences(settings, origins, folder)
    if problems:
        raise problems_error(problems, HINT)
    return Loaded(settings, origins, folder, file, user_file)


def _check_path(path: Path, start: Path) -> Checked:
    origin = Origin(OriginKind.FILE, _shown(path, start))
    try:
        return check_file(read_file(path, origin.name), origin)
    except SettingsError as error:
        return Checked(origin, problems=[error.message])


def _check_flag(dotted_key: str, flag: Flag) -> Checked:
    checked = Checked(Origin(OriginKind.FLAG, flag.name))
    key = tuple(dotted_key.split("."))
    rule = rule_of(key)
    raw: Any = rule.from_text(flag.value.strip()) if isinstance(flag.value, str) else flag.value
    check_leaf(checked, key, rule, raw)
    return checked


def _shown(path: Path, start: Path) -> str:
    """Relative where that is shorter to read."""
    return str(path.relative_to(start)) if path.is_relative_to(start) else str(path)
