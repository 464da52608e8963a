"""The end of a message about a name that is not known: a guess where there is one, and all that is known."""

from __future__ import annotations

from collections.abc import Iterable

from weft.model.spelling import closest


def alternatives(word: str, known: Iterable[str]) -> str:
    names = list(known)
    guess = closest(word, names)
    listed = ", ".join(f"`{name}`" for name in names) or "none"
    return f"did you mean `{guess}`? Known: {listed}" if guess else f"known: {listed}"
