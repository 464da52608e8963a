"""Do two sets of paths and patterns meet? In doubt they do: what is kept apart for nothing costs little.

A path stands for itself and, as a folder, for all that is below it. `*` and `?` stay within a name, `**` goes over
folders. `[…]`, `{…}` and `\\` are read as `*`, since they may as well be part of a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

_ANY_DEPTH = "**"
_LOOSE = re.compile(r"\[.*\]|\{.*\}|\\.?|[\[\]{}]|\*{2,}")
_WILD = re.compile(r"[*?]")
_MOST_PATTERNS = 16
"""Beyond so many of one job, a pattern is taken for the folder it begins with: each is compared with each."""


class Footprint:
    """The paths that a job touches, ready to be compared."""

    __slots__ = ("_above", "_paths", "_patterns", "touches")

    def __init__(self, touches: Iterable[str]) -> None:
        self.touches = tuple(dict.fromkeys(touches))
        split = [_names(touch) for touch in self.touches]
        wild = [names for names in split if _is_wild(names)]
        if len(wild) > _MOST_PATTERNS:
            split = [_folder(names) for names in split]
            wild = []
        self._patterns = wild
        self._paths = frozenset(names for names in split if not _is_wild(names))
        self._above = frozenset(names[:end] for names in self._paths for end in range(len(names)))

    def meets(self, other: Footprint) -> bool:
        return (
            not self._paths.isdisjoint(other._paths)
            or not self._paths.isdisjoint(other._above)
            or not self._above.isdisjoint(other._paths)
            or _any_meet(self._patterns, (*other._paths, *other._patterns))
            or _any_meet(other._patterns, self._paths)
        )

    def shared(self, other: Footprint) -> str | None:
        """The first of its paths or patterns that the other touches too."""
        if not self.meets(other):
            return None
        return next((touch for touch in self.touches if Footprint((touch,)).meets(other)), self.touches[0])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Footprint) and self.touches == other.touches

    __hash__ = None  # type: ignore[assignment]


def patterns_meet(one: str, other: str) -> bool:
    """Whether there may be a path that both stand for."""
    return _all_meet(_names(one), _names(other))


def _names(touch: str) -> tuple[str, ...]:
    """`./src//auth/` → src, auth; a set of names that spans folders is everything from there on."""
    names: list[str] = []
    for name in touch.split("/"):
        if name in ("", "."):
            continue
        if name == "..":
            names[-1:] = []
        elif name == _ANY_DEPTH:
            names.append(name)
        elif _opens(name):
            return (*names, _ANY_DEPTH)
        else:
            names.append(_LOOSE.sub("*", name))
    return tuple(names)


def _opens(name: str) -> bool:
    """A `{` that is closed in a later folder: `{a/b,c}.py`."""
    return name.count("{") > name.count("}")


def _is_wild(names: Sequence[str]) -> bool:
    return any(_WILD.search(name) for name in names)


def _folder(names: tuple[str, ...]) -> tuple[str, ...]:
    """What comes before its first wild name."""
    first = next((place for place, name in enumerate(names) if _WILD.search(name)), len(names))
    return names[:first]


def _any_meet(patterns: Iterable[tuple[str, ...]], others: Iterable[tuple[str, ...]]) -> bool:
    return any(_all_meet(pattern, other) for pattern in patterns for other in others)


def _all_meet(one: Sequence[str], other: Sequence[str]) -> bool:
    """Where one has come to its end it is a folder, and what is left of the other may be in it."""
    return _meet(one, other, _ANY_DEPTH, _names_meet, ended=lambda left: True)


def _names_meet(one: str, other: str) -> bool:
    if not (_WILD.search(one) or _WILD.search(other)):
        return one == other
    return _meet(one, other, "*", _letters_meet, ended=lambda left: not left.strip("*"))


def _letters_meet(one: str, other: str) -> bool:
    return one == other or "?" in (one, other)


def _meet(
    one: Sequence[str],
    other: Sequence[str],
    star: str,
    alike: Callable[[str, str], bool],
    ended: Callable[[str], bool],
) -> bool:
    """From the ends to the beginnings: does what is left of the one from there meet what is left of the other?"""
    row = [ended(left) for left in _rests(other)]
    for place in reversed(range(len(one))):
        below, row = row, [False] * len(other) + [ended("".join(one[place:]))]
        for j in reversed(range(len(other))):
            if star in (one[place], other[j]):
                row[j] = below[j] or row[j + 1]
            else:
                row[j] = below[j + 1] and alike(one[place], other[j])
    return row[0]


def _rests(parts: Sequence[str]) -> Iterator[str]:
    return ("".join(parts[place:]) for place in range(len(parts) + 1))
