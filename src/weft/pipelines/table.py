"""Reads one table of a TOML file strictly, and collects what is wrong instead of stopping at the first.

Each problem names the file, the key's path, the value, and what is allowed there.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeVar

from weft.pipelines.duration import parse_duration
from weft.pipelines.suggest import alternatives

E = TypeVar("E", bound=Enum)


class Table:
    """A table and the names read from it so far; `finish` reports the keys nobody asked for."""

    def __init__(self, values: Mapping[str, Any], where: str, path: str, problems: list[str]) -> None:
        self.values = values
        self.where = where
        self.path = path
        self.problems = problems
        self._asked: dict[str, None] = {}

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def wrong(self, key: str, what: str) -> None:
        """Note a problem with the key's value."""
        self.problems.append(f"{self.where}: `{self._at(key)}` is {_shown(self.values.get(key))}: {what}")

    def raw(self, key: str) -> Any:
        self._asked[key] = None
        return self.values.get(key)

    def text(self, key: str, default: str = "") -> str:
        return str(self._typed(key, str, "a text", default))

    def flag(self, key: str, default: bool) -> bool:
        return bool(self._typed(key, bool, "`true` or `false`", default))

    def number(self, key: str, default: float, least: float) -> float:
        value = self.raw(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value < 1e9:
            self.wrong(key, f"must be a number from {least:g} up")
            return default
        return float(value)

    def integer(self, key: str, default: int, least: int = 0) -> int:
        value = self.raw(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 1_000_000:
            self.wrong(key, f"must be a whole number from {least} up")
            return default
        return value

    def duration(self, key: str, default: float, *, zero: bool = False) -> float:
        text = self._typed(key, str, "a duration such as `30m`", None)
        if text is None:
            return default
        try:
            seconds = parse_duration(text)
        except ValueError:
            self.wrong(key, "must be a duration such as `90s`, `30m`, `1h30m` or `2d`")
            return default
        if seconds <= 0 and not zero:
            self.wrong(key, "must be longer than nothing")
        return seconds

    def choice(self, key: str, kind: type[E], default: E) -> E:
        value = self.raw(key)
        if value is None:
            return default
        return self._member(key, kind, value) or default

    def choices(self, key: str, kind: type[E], default: tuple[E, ...] = ()) -> tuple[E, ...]:
        value = self.raw(key)
        if value is None:
            return default
        if not isinstance(value, list):
            self.wrong(key, f"must be a list of {_listed(kind)}")
            return default
        members = [self._member(key, kind, item) for item in value]
        return tuple(dict.fromkeys(member for member in members if member is not None))

    def finish(self) -> None:
        """Report keys that mean nothing here."""
        for key in self.values:
            if key not in self._asked:
                self.problems.append(
                    f"{self.where}: `{self._at(key)}` is not a key here; {alternatives(key, self._asked)}"
                )

    def _at(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def _typed(self, key: str, kind: type, called: str, default: Any) -> Any:
        value = self.raw(key)
        if value is None or isinstance(value, kind):
            return default if value is None else value
        self.wrong(key, f"must be {called}")
        return default

    def _member(self, key: str, kind: type[E], value: object) -> E | None:
        names = [str(member.value) for member in kind]
        if isinstance(value, str) and value in names:
            return kind(value)
        self.wrong(key, f"`{value}` is not allowed; {alternatives(str(value), names)}")
        return None


def _listed(kind: type[Enum]) -> str:
    return ", ".join(f"`{member.value}`" for member in kind)


def _shown(value: object) -> str:
    """A value as TOML would have it, cut short."""
    if value is None:
        return "not given"
    text = str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else str(value)
    return f"`{text if len(text) <= 80 else text[:79] + '…'}`"


def as_table(values: object, where: str, path: str, problems: list[str]) -> Table | None:
    """`values` as a table, or a problem."""
    if isinstance(values, dict):
        return Table(values, where, path, problems)
    problems.append(f"{where}: `{path}` is {_shown(values)}: must be a table")
    return None
