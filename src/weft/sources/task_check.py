"""Plain data checked against the fields: every problem is noted with its path and value, none stops the rest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from functools import cache
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from weft.model.spelling import closest

T = TypeVar("T", bound=msgspec.Struct)

_LONGEST_SHOWN = 80
_MOST_SAID = 1000


class Problems:
    """What is wrong with a file, in the order of the file."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._found: list[tuple[int, str]] = []

    def add(self, path: str, said: str, entry: int = -1) -> None:
        """`entry`: the number of the task it is about."""
        self._found.append((entry, f"{self._where}: {path}{said}"))

    def wrong(self, path: str, value: object, allowed: str, entry: int = -1) -> None:
        self.add(path, f" = {shown(value)}: must be {allowed}", entry)

    def lines(self) -> list[str]:
        ordered = [said for _, said in sorted(self._found, key=lambda found: found[0])]
        more = len(ordered) - _MOST_SAID
        return [*ordered[:_MOST_SAID], f"{self._where}: and {more} more problems"] if more > 0 else ordered

    def __len__(self) -> int:
        return len(self._found)


def shown(value: object) -> str:
    """A value as JSON has it, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"


def kind_of(value: object) -> str:
    """`a list`, `an object`: what a value is, in a few words."""
    kinds = {
        bool: "true or false",
        str: "a text",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "an object",
    }
    return kinds.get(type(value), "nothing" if value is None else "something else")


def read_entry(
    kind: type[T], raw: object, path: str, problems: Problems, entry: int = -1
) -> tuple[T | None, dict[str, Any]]:
    """The struct that `raw` says, None where anything is wrong with it; and those of its values that are right."""
    if not isinstance(raw, dict):
        problems.add(path, f": must be an object, got {kind_of(raw)}", entry)
        return None, {}
    values, wrong = read_values(kind, raw, f"{path}.", problems, entry)
    return None if wrong else kind(**values), values


def read_values(
    kind: type[msgspec.Struct], raw: Mapping[Any, object], prefix: str, problems: Problems, entry: int = -1
) -> tuple[dict[str, Any], bool]:
    """The typed values by field, and whether anything is wrong."""
    before = len(problems)
    known = fields(kind)
    for name in raw:
        if name not in known:
            problems.add(f"{prefix}{name}", f": unknown field, {_guess(str(name), known)}", entry)
    values: dict[str, Any] = {}
    for name, field in known.items():
        if raw.get(name) is None:
            if field.required:
                problems.add(f"{prefix}{name}", ": missing", entry)
            continue
        try:
            values[field.name] = _typed(raw[name], field.type)
        except ValueError:
            problems.wrong(f"{prefix}{name}", raw[name], _allowed(field.type, raw[name]), entry)
    return values, len(problems) > before


class Field(msgspec.Struct, frozen=True):
    name: str
    """In the struct."""
    type: Any
    required: bool
    description: str


@cache
def fields(kind: type[msgspec.Struct]) -> dict[str, Field]:
    """By the name in the file; what must be there first, else as listed."""
    hints = get_type_hints(kind, include_extras=True)
    found = [
        (
            field.encode_name,
            Field(field.name, hints[field.name], field.required, _meta(hints[field.name], "description")),
        )
        for field in msgspec.structs.fields(kind)
    ]
    return dict(sorted(found, key=lambda pair: not pair[1].required))


def _typed(value: object, kind: Any) -> object:
    """ValueError where it is not one; texts must be such as every file can hold."""
    try:
        msgspec.json.encode(value)
        typed = msgspec.convert(value, kind)
    except (msgspec.MsgspecError, TypeError, RecursionError, OverflowError) as error:
        raise ValueError(str(error)) from None
    return typed


def _allowed(kind: Any, value: object) -> str:
    choices = _choices(kind)
    if choices:
        listed = ", ".join(f"`{choice}`" for choice in choices)
        near = closest(value, choices) if isinstance(value, str) else None
        return f"one of {listed}" + (f", did you mean `{near}`?" if near else "")
    return allowed_text(kind)


def allowed_text(kind: Any) -> str:
    """What a field's value may be, for messages and for the reference."""
    choices = _choices(kind)
    return ", ".join(f"`{choice}`" for choice in choices) if choices else _meta(kind, "allowed") or "something else"


def _choices(kind: Any) -> list[str]:
    enums = [part for part in _parts(kind) if isinstance(part, type) and issubclass(part, Enum)]
    return [choice.value for choice in enums[0]] if enums else []


def _meta(kind: Any, name: str) -> str:
    for part in _parts(kind):
        if isinstance(part, msgspec.Meta):
            value = part.description if name == "description" else (part.extra or {}).get(name)
            if value:
                return str(value)
    return ""


def _parts(kind: Any) -> list[Any]:
    """All that a type is made of, unions and annotations taken apart, the outermost notes last."""
    if get_origin(kind) in (Union, UnionType):
        return [part for each in get_args(kind) for part in _parts(each)]
    if get_origin(kind) is Annotated:
        inner, *notes = get_args(kind)
        return (
            [*_parts(inner), *notes]
            if not any(isinstance(note, msgspec.Meta) and note.extra for note in notes)
            else [*notes, *_parts(inner)]
        )
    return [kind]


def _guess(name: str, known: Mapping[str, object]) -> str:
    near = closest(name, known)
    return f"did you mean `{near}`?" if near else f"known: {', '.join(f'`{one}`' for one in known)}"
