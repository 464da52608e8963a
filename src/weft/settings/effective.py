"""Every effective value and where it came from, for `weft config show`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path

import msgspec

from weft.model.sizes import size_text
from weft.pipelines.duration import duration_text
from weft.settings.found_gates import found_gates
from weft.settings.load import Loaded
from weft.settings.problem import DEFAULT, KeyPath, dotted
from weft.settings.rules import DURATION, PAUSE, SIZE, Rule
from weft.settings.schema import Leaf, NamedTables, Table, TableList, shapes
from weft.settings.sections import Section


class Effective(msgspec.Struct, frozen=True):
    """A key, its value as it would be written in a settings file, and what set it."""

    key: str
    value: object
    source: str


def effective_values(loaded: Loaded, repo: Path) -> list[Effective]:
    """All keys, in the order of the reference; gates that are found in `repo` say so."""
    found = {("gates", name): gate for name, gate in found_gates(repo).items()}
    answer: list[Effective] = []
    for key, value in _values(loaded.settings, ()):
        source = str(loaded.origins.get(_set_at(key, loaded.origins), DEFAULT))
        if key in found and value is None:
            value, source = found[key].command, f"found in {found[key].because}"
        answer.append(Effective(dotted(key), value, source))
    return answer


def _values(section: Section, at: KeyPath) -> Iterator[tuple[KeyPath, object]]:
    for name, shape in shapes(type(section)).items():
        value, key = getattr(section, name), (*at, name)
        match shape:
            case Leaf(rule):
                yield key, plain(value, rule)
            case Table():
                yield from _values(value, key)
            case NamedTables():
                for given, inner in value.items():
                    yield from _values(inner, (*key, given))
            case TableList():
                for number, inner in enumerate(value):
                    yield from _values(inner, (*at, f"{name}[{number}]"))


def plain(value: object, rule: Rule) -> object:
    """A value as it would be written in a settings file; a secret one is not shown."""
    if rule.secret:
        return rule.shown(value)
    if isinstance(value, float):
        return duration_text(value) if rule in (DURATION, PAUSE) else int(value) if value.is_integer() else value
    if rule is SIZE and isinstance(value, int):
        return size_text(value).replace(" ", "") if value else "0"
    if isinstance(value, tuple):
        return [plain(item, rule) for item in value]
    return value.value if isinstance(value, Enum) else value


def _set_at(key: KeyPath, origins: Mapping[KeyPath, object]) -> KeyPath:
    """The key itself, or the list of tables it stands in, which is set as a whole."""
    listed = (key[0].partition("[")[0],)
    return listed if "[" in key[0] and listed in origins else key
