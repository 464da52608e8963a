"""Checks one file's tables against the sections: every wrong value and unknown key is noted, none stops the rest."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar, assert_never, cast

import msgspec

from weft.model.spelling import closest
from weft.settings.build import build
from weft.settings.problem import KeyPath, Origin, dotted, problems_error, wrong_key, wrong_value
from weft.settings.rules import Rule
from weft.settings.schema import Leaf, NamedTables, Shape, Table, TableList, required, shapes
from weft.settings.sections import Section, Settings

S = TypeVar("S", bound=Section)

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}", re.ASCII)
NAME_ALLOWED = "letters, digits, `.`, `_` and `-`, such as `mine`"


class Checked(msgspec.Struct):
    """What one source says: typed values by key, and what is wrong with it."""

    origin: Origin
    values: dict[KeyPath, object] = {}
    problems: list[str] = []

    def wrong(self, key: KeyPath, value: object, allowed: str) -> None:
        self.problems.append(wrong_value(self.origin, key, value, allowed))


def check_file(raw: Mapping[str, Any], origin: Origin) -> Checked:
    """A whole settings file."""
    checked = Checked(origin)
    _check_table(checked, Settings, raw, ())
    return checked


def check_entries(kind: type[S], key: str, raw: list[Any], origin: Origin) -> tuple[S, ...]:
    """A list of tables from another file, such as `[[repos]]`; SettingsError with every problem."""
    checked = Checked(origin)
    _check_list(checked, kind, raw, (key,))
    if checked.problems:
        raise problems_error(checked.problems)
    return cast("tuple[S, ...]", checked.values[key,])


def check_leaf(checked: Checked, key: KeyPath, rule: Rule, raw: object) -> None:
    """One value; noted under its key when it is allowed."""
    try:
        checked.values[key] = rule.read(raw)
    except ValueError:
        checked.wrong(key, rule.shown(raw), rule.allowed)


def _check_table(checked: Checked, section: type[Section], raw: Mapping[str, Any], at: KeyPath) -> None:
    known = shapes(section)
    for name, value in raw.items():
        key = (*at, name)
        if name not in known:
            checked.problems.append(wrong_key(checked.origin, key, closest(name, known), list(known)))
        else:
            _check_shape(checked, known[name], value, key)


def _check_shape(checked: Checked, shape: Shape, value: Any, key: KeyPath) -> None:
    match shape:
        case Leaf(rule):
            check_leaf(checked, key, rule, value)
        case Table(section):
            if value is False and section.OFF is not None:
                _check_table(checked, section, section.OFF, key)
            elif _is(checked, dict, value, key, "a table"):
                _check_table(checked, section, value, key)
        case NamedTables(section):
            if _is(checked, dict, value, key, f"a table of tables such as `[{key[-1]}.NAME]`"):
                _check_named(checked, section, value, key)
        case TableList(section):
            if _is(checked, list, value, key, f"a list of tables, each under `[[{key[-1]}]]`"):
                _check_list(checked, section, value, key)
        case _:
            assert_never(shape)


def _check_named(checked: Checked, section: type[Section], raw: Mapping[str, Any], at: KeyPath) -> None:
    for name, value in raw.items():
        key = (*at, name)
        if not NAME.fullmatch(name):
            checked.problems.append(f"{checked.origin}: {dotted(key)}: must be a name of {NAME_ALLOWED}")
        elif _is(checked, dict, value, key, "a table"):
            # Noted even when empty: `[agents.claude]` alone names an agent.
            checked.values[key] = section
            _check_table(checked, section, value, key)


def _check_list(checked: Checked, section: type[Section], raw: list[Any], at: KeyPath) -> None:
    entries = [_entry(checked, section, value, (*at[:-1], f"{at[-1]}[{number}]")) for number, value in enumerate(raw)]
    checked.values[at] = tuple(entry for entry in entries if entry is not None)


def _entry(checked: Checked, section: type[Section], value: Any, at: KeyPath) -> Section | None:
    """A list's entry stands by itself: it is built here, and another file's list replaces the whole."""
    if not _is(checked, dict, value, at, "a table"):
        return None
    inner = Checked(checked.origin)
    _check_table(inner, section, value, at)
    missing = required(section) - value.keys()
    inner.problems += [f"{checked.origin}: {at[-1]}.{name}: missing" for name in sorted(missing)]
    checked.problems += inner.problems
    return None if inner.problems else build(section, inner.values, at)


def _is(checked: Checked, kind: type, value: object, key: KeyPath, allowed: str) -> bool:
    if isinstance(value, kind):
        return True
    checked.wrong(key, value, allowed)
    return False
