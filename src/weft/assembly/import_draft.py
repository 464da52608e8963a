"""Another tool's settings on their way into Weft's: what was taken over, and what has no counterpart and why."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from weft.settings.check import check_file
from weft.settings.problem import Origin, OriginKind

_SECRET = re.compile(r"webhook|email|token$|secret|password|api_?key", re.IGNORECASE)
_LONGEST_SHOWN = 80
_UNKNOWN = "not known to this version of Weft"


class Left(msgspec.Struct, frozen=True):
    """A value that was not taken over."""

    key: str
    value: str
    """As it is shown to people: cut where it is long, hidden where it may be a secret."""
    reason: str


class Imported(msgspec.Struct, frozen=True):
    settings: dict[str, Any]
    """As `weft.toml` nests them."""
    left: tuple[Left, ...]


class Draft:
    """Takes values out of another tool's settings one by one; what nobody took is left, never lost in silence."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self._values = dict(_leaves(raw, ""))
        self._settings: dict[str, Any] = {}
        self._left: list[Left] = []

    def get(self, key: str, default: Any = None) -> Any:
        """The value, which stays to be taken."""
        return self._values.get(key, default)

    def names(self, below: str) -> list[str]:
        """`claude`, `codex` for `backends.claude.model` and the like below `backends`."""
        found = (key.removeprefix(f"{below}.") for key in self._values if key.startswith(f"{below}."))
        return list(dict.fromkeys(key.partition(".")[0] for key in found))

    def take(self, key: str) -> Any:
        """The value, None where it is not there; whoever takes it puts or leaves it."""
        return self._values.pop(key, None)

    def move(self, key: str, *to: str) -> None:
        """Takes a value over as it is."""
        value = self.take(key)
        if value is not None:
            for target in to:
                self.put(key, target, value)

    def put(self, key: str, to: str, value: Any) -> None:
        """Sets Weft's `to`; what is not allowed there is left with the rule that it breaks."""
        nested = _nested(to, value)
        problems = check_file(nested, Origin(OriginKind.FILE, "weft.toml")).problems
        if problems:
            self.leave(key, value, problems[0].removeprefix("weft.toml: "))
        else:
            _merge(self._settings, nested)

    def leave(self, key: str, value: Any, reason: str) -> None:
        self._left.append(Left(key, _shown(key, value), reason))

    def leave_all(self, pattern: str, reason: str) -> None:
        """Every value whose key begins with one of `a|b.c`."""
        for key in [key for key in self._values if re.match(rf"(?:{pattern})(?:\.|$)", key)]:
            self.leave(key, self.take(key), reason)

    def skip(self, *keys: str) -> None:
        """Says nothing that matters."""
        for key in keys:
            self.take(key)

    def finished(self) -> Imported:
        for key, value in self._values.items():
            self.leave(key, value, _UNKNOWN)
        return Imported(self._settings, tuple(self._left))


def _leaves(value: Any, at: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, Mapping):
        yield at, value
        return
    for name, inner in value.items():
        if inner is not None:
            yield from _leaves(inner, f"{at}.{name}" if at else str(name))


def _nested(key: str, value: Any) -> dict[str, Any]:
    for part in reversed(key.split(".")):
        value = {part: value}
    nested: dict[str, Any] = value
    return nested


def _merge(into: dict[str, Any], more: Mapping[str, Any]) -> None:
    for name, value in more.items():
        if isinstance(value, dict) and isinstance(into.get(name), dict):
            _merge(into[name], value)
        elif isinstance(value, list) and isinstance(into.get(name), list):
            into[name] += value
        else:
            into[name] = value


def _shown(key: str, value: Any) -> str:
    if _SECRET.search(key):
        return "***"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"
