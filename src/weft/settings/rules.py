"""What a setting's value may be. A rule reads a value as TOML has it, or as text from a variable or a flag."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from typing import Any

import msgspec

from weft.model.sizes import parse_size
from weft.pipelines.duration import parse_duration

_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?", re.ASCII)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_LARGEST = 10**15
"""More than anyone counts, and few enough digits for every format that Weft writes."""
_TRUTH = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


class Rule(msgspec.Struct, frozen=True):
    """`read` answers the typed value, or raises ValueError for what is not `allowed`."""

    allowed: str
    """What is allowed, to stand after "must be"."""
    read: Callable[[Any], object]
    from_text: Callable[[str], object] = str
    """Text as the value TOML would have; what it cannot read it leaves as it is, for `read` to refuse."""
    secret: bool = False
    """Whether whoever sees the value could misuse it: it is never shown in full."""

    def shown(self, value: object) -> object:
        """As messages and `weft config show` may have it."""
        return hidden(value) if self.secret else value


def hidden(value: object) -> object:
    """An address without its path; of any other text the beginning; of what holds more, nothing."""
    if isinstance(value, list | dict):
        return f"{type(value)()}"
    if not isinstance(value, str):
        return value
    scheme, mark, rest = value.partition("://")
    host = rest.partition("/")[0].rpartition("@")[2].partition("?")[0]
    if mark:
        return f"{scheme}://{host}/…"
    return f"{value[:4]}…" if len(value) > 4 else value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _LARGEST:
        raise ValueError
    return value


def _at_least(least: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if _whole(value) < least:
            raise ValueError
        return int(value)

    return read


def _number(least: float, most: float) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise ValueError
        return float(value)

    return read


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError
    return value


def _text(value: Any) -> str:
    """Text that every file and program can be given: a variable or an argument may hold bytes that are no UTF-8."""
    if not isinstance(value, str) or "\0" in value:
        raise ValueError
    value.encode()
    return value


def _filled(value: Any) -> str:
    if not _text(value).strip():
        raise ValueError
    return str(value)


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError
    return tuple(_filled(item) for item in value)


def _variables(value: Any) -> tuple[str, ...]:
    names = _texts(value)
    if not all(_VARIABLE.fullmatch(name) for name in names):
        raise ValueError
    return names


def _duration(least: float) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        seconds = parse_duration(_text(value))
        if seconds < least:
            raise ValueError
        return seconds

    return read


def _size(value: Any) -> int:
    """Nothing needs no unit, and so no quotes."""
    return 0 if type(value) is int and value == 0 else parse_size(_text(value))


def _steps(value: Any) -> tuple[float, ...]:
    """Three percentages, each above the one before."""
    if not isinstance(value, list) or len(value) != 3:
        raise ValueError
    steps = tuple(_number(0.0, 1000.0)(item) for item in value)
    if not steps[0] < steps[1] < steps[2]:
        raise ValueError
    return steps


def _matching(pattern: str) -> Callable[[Any], str]:
    compiled = re.compile(pattern, re.ASCII)

    def read(value: Any) -> str:
        if not compiled.fullmatch(_text(value)):
            raise ValueError
        return str(value)

    return read


def integer_from_text(text: str) -> object:
    return int(text) if _INTEGER.fullmatch(text) and len(text) < 20 else text


def _number_from_text(text: str) -> object:
    return float(text) if _NUMBER.fullmatch(text) and len(text) < 40 else text


def _truth_from_text(text: str) -> object:
    return _TRUTH.get(text.lower(), text)


def _numbers_from_text(text: str) -> object:
    return [_number_from_text(part.strip()) for part in text.split(",")]


def _texts_from_text(text: str) -> object:
    return [part.strip() for part in text.split(",")]


def one_of(kind: type[Enum]) -> Rule:
    """One of an enum's values."""
    known = [str(member.value) for member in kind]
    return Rule(f"one of {', '.join(f'`{value}`' for value in known)}", lambda value: kind(_text(value)))


def many_of(kind: type[Enum]) -> Rule:
    """A list of an enum's values."""
    known = ", ".join(f"`{member.value}`" for member in kind)
    return Rule(
        f"a list of {known}",
        lambda value: tuple(kind(item) for item in _texts(value)),
        _texts_from_text,
    )


def pattern(allowed: str, expression: str) -> Rule:
    """Text of a certain form."""
    return Rule(allowed, _matching(expression))


SECRET_ADDRESS = Rule(
    "an address that begins with `https://` or `http://`", _matching(r"https?://[^\s/?#]+\S*"), secret=True
)
POSITIVE = Rule("a positive integer", _at_least(1), integer_from_text)
COUNT = Rule("an integer of 0 or more", _at_least(0), integer_from_text)
WHOLE = Rule("an integer", _whole, integer_from_text)
AMOUNT = Rule("a number of 0 or more", _number(0.0, 1e15), _number_from_text)
FACTOR = Rule("a number from 1 to 100", _number(1.0, 100.0), _number_from_text)
PERCENT = Rule("a number from 0 to 100", _number(0.0, 100.0), _number_from_text)
TRUTH = Rule("`true` or `false`", _truth, _truth_from_text)
TEXT = Rule("text", _text)
FILLED = Rule("text that is not empty", _filled)
TEXTS = Rule("a list of texts that are not empty", _texts, _texts_from_text)
DURATION = Rule("a duration such as `90s`, `20m`, `1h30m` or `2d`, longer than nothing", _duration(0.001))
PAUSE = Rule("a duration such as `5s`, `2m` or `0s`", _duration(0.0))
VARIABLES = Rule("a list of names of environment variables", _variables, _texts_from_text)
SIZE = Rule("a size such as `512MB` or `2GB`, or `0`", _size)
STEPS = Rule("three percentages, each above the one before, such as `[65, 75, 80]`", _steps, _numbers_from_text)
