"""A task file's bytes as plain data: JSON, JSON Lines, YAML or TOML."""

from __future__ import annotations

import json
import tomllib
from enum import Enum
from typing import Any, NoReturn

from weft.errors import UsageError

LARGEST = 50_000_000


class Format(Enum):
    JSON = "json"
    JSONL = "jsonl"
    YAML = "yaml"
    TOML = "toml"


_ENDINGS = {
    ".json": Format.JSON,
    ".jsonl": Format.JSONL,
    ".ndjson": Format.JSONL,
    ".yaml": Format.YAML,
    ".yml": Format.YAML,
    ".toml": Format.TOML,
}
_TASK_KEYS = ("backend", "prompt")


def format_of(ending: str) -> Format | None:
    """By the ending of a file's name; None where it says nothing."""
    return _ENDINGS.get(ending.lower())


def decode(data: bytes, where: str, form: Format | None, *, listed: str | None = None, schema: str = "tasks") -> object:
    """What the file says. `form` None: JSON, or JSON Lines where `listed` (`tasks`) names what each line is one of."""
    if len(data) > LARGEST:
        raise UsageError(f"{where}: is larger than {LARGEST // 1_000_000} MB", hint="divide it into several files")
    text = _text(data, where, form)
    if not text.strip():
        raise UsageError(f"No input: {where} is empty", hint=f"`weft schema {schema}` says what such a file holds")
    match form:
        case Format.YAML:
            return _yaml(text, where)
        case Format.TOML:
            return _toml(text, where)
        case Format.JSONL if listed:
            return {listed: _lines(text, where)}
        case Format.JSONL:
            raise UsageError(f"{where}: JSON Lines hold tasks for `weft parallel` alone")
        case Format.JSON:
            return _json(text, where)
        case None:
            return _json_or_lines(text, where, listed)


def _text(data: bytes, where: str, form: Format | None) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, error.start - (before.rfind(b"\n") + 1) + 1
        name = "JSON" if form in (None, Format.JSONL) else form.value.upper()
        raise UsageError(f"Invalid {name}: {where}: line {line}, column {column}: not UTF-8 text") from None


def _json_or_lines(text: str, where: str, listed: str | None) -> object:
    """Several objects one after the other, or one that is a task, are lines of tasks."""
    if listed is None:
        return _json(text, where)
    try:
        found = _json(text, where)
    except UsageError:
        if _is_task(_first_line(text)):
            return {listed: _lines(text, where)}
        raise
    return {listed: [found]} if _is_task(found) and "\n" not in text.strip() else found


def _first_line(text: str) -> object:
    line = next((line for line in text.split("\n") if line.strip()), "")
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _is_task(found: object) -> bool:
    return isinstance(found, dict) and any(key in found for key in _TASK_KEYS) and "tasks" not in found


def _lines(text: str, where: str) -> list[object]:
    return [_json(line, where, number) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def _json(text: str, where: str, line: int = 1) -> object:
    """`line`: the number of the text's first line."""
    try:
        return json.loads(text, object_pairs_hook=_pairs, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        at = f"line {line + error.lineno - 1}, column {error.colno}"
        raise UsageError(f"Invalid JSON: {where}: {at}: {error.msg}") from None
    except RecursionError:
        raise UsageError(f"Invalid JSON: {where}: nested too deeply") from None
    except ValueError as error:
        at = f"line {line}: " if line > 1 else ""
        raise UsageError(f"Invalid JSON: {where}: {at}{error}") from None


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in found if names.count(name) > 1)
        raise ValueError(f'the key "{twice}" is given twice in one object')
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"`{name}` is no number of JSON")


def _toml(text: str, where: str) -> object:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"Invalid TOML: {where}: {error}") from None


def _yaml(text: str, where: str) -> object:
    from weft.sources.task_yaml import load_yaml  # slow to import, and most files are JSON

    return load_yaml(text, where)
