"""What is wrong with settings: every problem at once, each with where, which key, which value."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import Enum

import msgspec

from weft.errors import SettingsError

KeyPath = tuple[str, ...]
"""A key as TOML nests it: `("run", "concurrency")`."""

_LONGEST_SHOWN = 80


class OriginKind(Enum):
    """Where a value can come from, the strongest first."""

    FLAG = "flag"
    ENVIRONMENT = "environment"
    FILE = "file"
    DEFAULT = "default"


class Origin(msgspec.Struct, frozen=True):
    """Where a value came from: the flag, the variable or the file."""

    kind: OriginKind
    name: str = ""

    def __str__(self) -> str:
        return self.name or self.kind.value


DEFAULT = Origin(OriginKind.DEFAULT)
Origins = Mapping[KeyPath, Origin]
"""Where each value that is not a default came from."""


def origin_of(origins: Origins, key: KeyPath) -> Origin:
    return origins.get(key, DEFAULT)


def wrong_value(origin: Origin, key: KeyPath, value: object, allowed: str) -> str:
    """A value that is not allowed."""
    if origin.kind is OriginKind.FILE:
        return f"{origin}: {dotted(key)} = {shown(value)}: must be {allowed}"
    return f"Invalid {origin} value: {_cut(str(value))}. Must be {allowed}."


def wrong_key(origin: Origin, key: KeyPath, near: str | None, known: Sequence[str]) -> str:
    """A key that does not exist."""
    guess = f"did you mean `{near}`?" if near else f"known: {', '.join(f'`{name}`' for name in known)}"
    return f"{origin}: {dotted(key)}: unknown key, {guess}"


def problems_error(problems: Sequence[str], hint: str | None = None) -> SettingsError:
    """All of them as one error."""
    return SettingsError("\n".join(problems), hint=hint)


def dotted(key: KeyPath) -> str:
    return ".".join(part if _is_bare(part) else json.dumps(part) for part in key)


def shown(value: object) -> str:
    """A value as TOML would have it, cut where it is long."""
    if isinstance(value, list | dict | str):
        return _cut(json.dumps(value, ensure_ascii=False, default=str))
    return _cut(str(value).lower() if isinstance(value, bool) else str(value))


def _cut(text: str) -> str:
    """One line of it, not too long."""
    line = text.replace("\n", "\\n")
    return line if len(line) <= _LONGEST_SHOWN else f"{line[: _LONGEST_SHOWN - 1]}…"


def _is_bare(part: str) -> bool:
    return part.replace("-", "").replace("_", "").replace("[", "").replace("]", "").isalnum()
