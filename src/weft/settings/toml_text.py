"""Settings as the text of a TOML file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def toml_text(settings: Mapping[str, Any]) -> str:
    """Plain values first, then the tables, each under its heading."""
    return "\n\n".join(_table(settings, ())) + "\n"


def _table(table: Mapping[str, Any], at: tuple[str, ...]) -> list[str]:
    plain = [f"{_key(name)} = {_value(value)}" for name, value in table.items() if not _is_table(value)]
    heading = [f"[{'.'.join(map(_key, at))}]"] if at and plain else []
    blocks = ["\n".join([*heading, *plain])] if plain else []
    for name, value in table.items():
        if isinstance(value, Mapping):
            blocks += _table(value, (*at, name))
        elif _is_table(value):
            blocks += [_entry(entry, (*at, name)) for entry in value]
    return blocks


def _entry(entry: Mapping[str, Any], at: tuple[str, ...]) -> str:
    lines = [f"{_key(name)} = {_value(value)}" for name, value in entry.items()]
    return "\n".join([f"[[{'.'.join(map(_key, at))}]]", *lines])


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list) and bool(value) and isinstance(value[0], Mapping))


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _value(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_value(item) for item in value)}]"
    return _text(value) if isinstance(value, str) else json.dumps(value)


def _text(text: str) -> str:
    """JSON's strings are TOML's, but for one control character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
