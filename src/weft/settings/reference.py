"""Every setting with what it may be, its default and what it is for: what the reference page is made from."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import cache

import msgspec

from weft.settings import sections
from weft.settings.effective import plain
from weft.settings.schema import Leaf, NamedTables, TableList, required, shapes
from weft.settings.sections import Section, Settings
from weft.settings.variables import variables


class Entry(msgspec.Struct, frozen=True):
    """A key as the reference shows it. Names the user chooses are `NAME`, entries of a list `[]`."""

    key: str
    allowed: str
    default: object
    required: bool
    text: str
    variables: tuple[str, ...]
    """The environment variables that set it."""


def reference() -> list[Entry]:
    """All keys, in the order of the sections."""
    return list(_entries(Settings, ""))


def _entries(section: type[Section], at: str) -> Iterator[Entry]:
    texts = _texts_of(section)
    defaults = {field.name: field.default for field in msgspec.structs.fields(section)}
    for name, shape in shapes(section).items():
        key = f"{at}{name}"
        if isinstance(shape, Leaf):
            needed = name in required(section)
            default = None if needed else plain(defaults[name], shape.rule)
            yield Entry(key, shape.rule.allowed, default, needed, texts[name], _variables(key))
        else:
            inside = {NamedTables: ".NAME.", TableList: "[]."}.get(type(shape), ".")
            yield from _entries(shape.section, f"{key}{inside}")


def _texts_of(section: type[Section]) -> dict[str, str]:
    """With those of the sections that it takes over."""
    found: dict[str, str] = {}
    for base in reversed(section.__mro__):
        found |= docstrings().get(base.__name__, {})
    return found


def _variables(key: str) -> tuple[str, ...]:
    return tuple(name for name, (path, _) in variables().items() if ".".join(path) == key)


@cache
def docstrings() -> dict[str, dict[str, str]]:
    """The text under each field, by class and field: Python keeps it in the source alone."""
    tree = ast.parse(inspect.getsource(sections))
    return {node.name: _texts(node) for node in tree.body if isinstance(node, ast.ClassDef)}


def _texts(node: ast.ClassDef) -> dict[str, str]:
    texts: dict[str, str] = {}
    for statement, following in zip(node.body, [*node.body[1:], ast.Pass()], strict=True):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            texts[statement.target.id] = _string(following)
    return texts


def _string(statement: ast.stmt) -> str:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return str(statement.value.value)
    return ""
