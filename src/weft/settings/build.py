"""Builds the frozen sections from values by key; what no source said has its default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from weft.settings.problem import KeyPath
from weft.settings.schema import NamedTables, Table, shapes
from weft.settings.sections import Section

S = TypeVar("S", bound=Section)


def build(section: type[S], values: Mapping[KeyPath, object], at: KeyPath = ()) -> S:
    fields: dict[str, Any] = {}
    for name, shape in shapes(section).items():
        key = (*at, name)
        if isinstance(shape, Table):
            fields[name] = build(shape.section, values, key)
        elif isinstance(shape, NamedTables):
            fields[name] = {given: build(shape.section, values, (*key, given)) for given in _names(values, key)}
        elif key in values:
            fields[name] = values[key]
    return section(**fields)


def _names(values: Mapping[KeyPath, object], at: KeyPath) -> list[str]:
    """The names the user chose under `at`, in the order they were met."""
    depth = len(at)
    return list(dict.fromkeys(key[depth] for key in values if len(key) > depth and key[:depth] == at))
