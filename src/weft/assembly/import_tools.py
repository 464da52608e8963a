"""The tools whose settings Weft can take over: where their files are, and how they are read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import yaml

from weft.assembly.import_clinvk import read_clinvk
from weft.assembly.import_draft import Draft, Imported
from weft.assembly.import_nightshift import read_nightshift
from weft.assembly.import_sequant import read_sequant
from weft.errors import UsageError
from weft.settings.build import build
from weft.settings.check import check_file
from weft.settings.coherence import incoherences
from weft.settings.problem import Origin, OriginKind
from weft.settings.sections import Settings

_LARGEST = 1_000_000
_STRING = r'"(?:\\.|[^"\\])*"'
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?\*/", re.DOTALL)
_LAST_COMMA = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)


class Tool(msgspec.Struct, frozen=True):
    files: tuple[str, ...]
    """Where its settings are: below the current folder, or below the home folder with `~/`; the first there is."""
    parse: Callable[[str], Any]
    read: Callable[[Draft], None]


def parse_json(text: str) -> Any:
    """JSON with comments and commas too many, as editors write it."""
    for unwanted in (_COMMENT, _LAST_COMMA):
        text = unwanted.sub(lambda found: found[0] if found[0].startswith('"') else " ", text)
    return json.loads(text)


TOOLS = {
    "sequant": Tool((".sequant/settings.json", "~/.sequant/settings.json"), parse_json, read_sequant),
    "clinvk": Tool(("~/.clinvk/config.yaml",), yaml.safe_load, read_clinvk),
    "nightshift": Tool(
        ("nightshift.yaml", ".nightshift.yaml", "~/.config/nightshift/config.yaml"), yaml.safe_load, read_nightshift
    ),
}


def settings_file(tool: str, folder: Path, home: Path) -> Path:
    """The tool's settings; UsageError where there are none."""
    places = [home / name[2:] if name.startswith("~/") else folder / name for name in TOOLS[tool].files]
    for place in places:
        if place.is_file():
            return place
    looked = ", ".join(f"`{name}`" for name in TOOLS[tool].files)
    raise UsageError(f"no settings of {tool} here: looked for {looked}", hint=f"weft import {tool} FILE")


def import_file(tool: str, file: Path, folder: Path) -> Imported:
    """What the file says, in Weft's terms. Nothing is written."""
    draft = Draft(_parsed(tool, file))
    TOOLS[tool].read(draft)
    imported = draft.finished()
    _refuse_incoherent(imported, file, folder)
    return imported


def _parsed(tool: str, file: Path) -> dict[str, Any]:
    try:
        if file.stat().st_size > _LARGEST:
            raise UsageError(f"`{file}` is larger than {_LARGEST // 1_000_000} MB, which no settings file is")
        raw = TOOLS[tool].parse(file.read_text("utf-8-sig"))
    except OSError as error:
        raise UsageError(f"`{file}` cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"`{file}` is not UTF-8") from None
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        raise UsageError(f"`{file}` cannot be read as settings of {tool}: {' '.join(str(error).split())}") from None
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        raise UsageError(f"`{file}` holds no settings of {tool}: it must be keys and values")
    return raw


def _refuse_incoherent(imported: Imported, file: Path, folder: Path) -> None:
    """Each value was checked by itself; a file that does not load as a whole is not written."""
    checked = check_file(imported.settings, Origin(OriginKind.FILE, "weft.toml"))
    origins = dict.fromkeys(checked.values, checked.origin)
    problems = checked.problems or incoherences(build(Settings, checked.values), origins, folder)
    if problems:
        raise UsageError("\n".join(problems), hint=f"mend `{file}`, or leave these keys out of it")
