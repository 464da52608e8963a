"""What the sections say about themselves: which keys there are, of which shape, under which rule."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec

from weft.settings.problem import KeyPath
from weft.settings.rules import Rule
from weft.settings.sections import Section, Settings


class Leaf(msgspec.Struct, frozen=True):
    """A key with a value."""

    rule: Rule


class Table(msgspec.Struct, frozen=True):
    """A key with a table of known keys."""

    section: type[Section]


class NamedTables(msgspec.Struct, frozen=True):
    """A key with a table of tables whose names the user chooses: `[agents.mine]`."""

    section: type[Section]


class TableList(msgspec.Struct, frozen=True):
    """A key with a list of tables: `[[repos]]`."""

    section: type[Section]


Shape = Leaf | Table | NamedTables | TableList


@cache
def shapes(section: type[Section]) -> dict[str, Shape]:
    """Each key of a section, in its order."""
    fields = section.__struct_fields__
    hints = get_type_hints(section, include_extras=True)
    return {name: _shape(hint) for name, hint in hints.items() if name in fields}


@cache
def required(section: type[Section]) -> frozenset[str]:
    return frozenset(field.name for field in msgspec.structs.fields(section) if field.required)


def leaves(section: type[Section] = Settings, at: KeyPath = ()) -> Iterator[tuple[KeyPath, Rule]]:
    """All keys whose path is fixed: not those within named tables or lists."""
    for name, shape in shapes(section).items():
        if isinstance(shape, Leaf):
            yield (*at, name), shape.rule
        elif isinstance(shape, Table):
            yield from leaves(shape.section, (*at, name))


def rule_of(key: KeyPath) -> Rule:
    return dict(leaves())[key]


def _shape(hint: Any) -> Shape:
    if get_origin(hint) is Annotated:
        return Leaf(next(extra for extra in hint.__metadata__ if isinstance(extra, Rule)))
    if isinstance(hint, type) and issubclass(hint, Section):
        return Table(hint)
    if get_origin(hint) is dict:
        return NamedTables(get_args(hint)[1])
    if get_origin(hint) is tuple:
        return TableList(get_args(hint)[0])
    return _shape(get_args(hint)[0])  # `X | None`
