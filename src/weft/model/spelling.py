"""The nearest known word to one that is not known, for messages that say "did you mean"."""

from __future__ import annotations

from collections.abc import Iterable


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` most likely stands for, or None where none is near."""
    from difflib import get_close_matches  # only errors need it, and every start of Weft would pay for it

    by_folded = {candidate.lower(): candidate for candidate in known}
    near = get_close_matches(word.lower(), list(by_folded), n=1, cutoff=0.6)
    return by_folded[near[0]] if near else None
