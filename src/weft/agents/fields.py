"""A JSON object of another program, read without trust: what is missing or of another type is absent."""

from __future__ import annotations

import math

import msgspec

_LARGEST = 10**15


class _Head(msgspec.Struct, frozen=True):
    type: str


_HEAD = msgspec.json.Decoder(_Head)
_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


def kind_of(line: bytes) -> str:
    """The object's `type`, without building the rest of it: lines may have 50 MB. Empty if it is no such object."""
    try:
        return _HEAD.decode(line).type
    except _UNREADABLE:
        return ""


class Fields:
    def __init__(self, found: object) -> None:
        self._found: dict[str, object] = found if isinstance(found, dict) else {}

    @classmethod
    def of(cls, line: bytes) -> Fields:
        try:
            return cls(msgspec.json.decode(line))
        except _UNREADABLE:
            return cls(None)

    def raw(self, name: str) -> object:
        return self._found.get(name)

    def text(self, name: str) -> str:
        value = self._found.get(name)
        return value if isinstance(value, str) else ""

    def count(self, name: str) -> int:
        """A number of something, 0 unless it is one."""
        value = self.number(name)
        return int(value) if value is not None and 0 <= value <= _LARGEST else 0

    def number(self, name: str) -> float | None:
        value = self._found.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        try:
            number = float(value)
        except OverflowError:
            return None
        return number if math.isfinite(number) else None

    def flag(self, name: str) -> bool:
        return self._found.get(name) is True

    def inner(self, name: str) -> Fields:
        return Fields(self._found.get(name))

    def listed(self, name: str) -> list[object]:
        value = self._found.get(name)
        return value if isinstance(value, list) else []

    def values(self) -> list[Fields]:
        """Each member as an object."""
        return [Fields(value) for value in self._found.values()]

    def __bool__(self) -> bool:
        return bool(self._found)
