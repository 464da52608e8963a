"""The keys of an issue file's front matter, and what each may hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

import msgspec
import yaml

from weft.errors import UsageError
from weft.model.spelling import closest
from weft.pipelines.fence import clean_line
from weft.sources.dependencies import normal
from weft.sources.front_matter import value_of

_LONGEST_SHOWN = 80
_LARGEST = 10**15


class Key(msgspec.Struct, frozen=True):
    """`read` answers the typed value, or raises ValueError for what is not `allowed`."""

    allowed: str
    read: Callable[[yaml.Node], Any]


def read_keys(nodes: dict[str, yaml.Node], shown_as: str) -> dict[str, Any]:
    """All values; UsageError with every wrong one and every unknown key."""
    values: dict[str, Any] = {}
    problems: list[str] = []
    for name, node in nodes.items():
        if name not in KEYS:
            problems.append(f"{shown_as}: {name}: unknown key, {_guess(name)}")
            continue
        try:
            values[name] = KEYS[name].read(node)
        except ValueError:
            problems.append(f"{shown_as}: {name} = {_shown(node)}: must be {KEYS[name].allowed}")
    if problems:
        raise UsageError("\n".join(problems))
    return values


def _guess(name: str) -> str:
    near = closest(name, KEYS)
    return f"did you mean `{near}`?" if near else f"known: {', '.join(f'`{key}`' for key in KEYS)}"


def _text(node: yaml.Node) -> str:
    value = value_of(node)
    if not isinstance(value, str) or not value.strip():
        raise ValueError
    return value


def one_line(node: yaml.Node) -> str:
    """Text without line breaks and control characters."""
    text = clean_line(_text(node))
    if not text:
        raise ValueError
    return text


def _items(node: yaml.Node) -> list[yaml.Node]:
    if not isinstance(node, yaml.SequenceNode):
        raise ValueError
    return list(node.value)


def _lines(node: yaml.Node) -> tuple[str, ...]:
    return tuple(one_line(item) for item in _items(node))


def _paths(node: yaml.Node) -> tuple[str, ...]:
    """Patterns within the repo."""
    paths = _lines(node)
    for path in map(PurePosixPath, paths):
        if path.is_absolute() or ".." in path.parts:
            raise ValueError
    return paths


def _references(node: yaml.Node) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_reference(item) for item in _items(node)))


def _reference(node: yaml.Node) -> str:
    """As written, since YAML reads `010` as 8."""
    if not isinstance(node, yaml.ScalarNode) or not isinstance(value_of(node), str | int):
        raise ValueError
    return normal(node.value)


def _integer(node: yaml.Node) -> int:
    value = value_of(node)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _LARGEST:
        raise ValueError
    return value


def _is_closed(node: yaml.Node) -> bool:
    value = value_of(node)
    if value not in ("open", "closed"):
        raise ValueError
    return value == "closed"


def _shown(node: yaml.Node) -> str:
    """What was written, in one line and not too long."""
    try:
        text = json.dumps(value_of(node), ensure_ascii=False, default=str)
    except (ValueError, TypeError, RecursionError):
        text = str(node.value)
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_SHOWN else f"{line[: _LONGEST_SHOWN - 1]}…"


KEYS = {
    "title": Key("text that is not empty; put it in quotes if it looks like a number or a date", one_line),
    "depends_on": Key('a list of issues such as `[100, "#101", other-repo#7]`', _references),
    "labels": Key("a list of texts", _lines),
    "milestone": Key("text that is not empty; put it in quotes if it looks like a number or a date", one_line),
    "touches": Key('a list of paths within the repo such as `["src/auth/**"]`', _paths),
    "priority": Key("an integer", _integer),
    "state": Key("`open` or `closed`", _is_closed),
}
