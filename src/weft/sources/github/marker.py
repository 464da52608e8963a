"""Hidden marks in what Weft writes on GitHub, so that it knows its own again."""

from __future__ import annotations

import re

_MARK = re.compile(r"<!-- weft:[A-Za-z0-9._:#/-]+ -->")
_ODD = re.compile(r"[^A-Za-z0-9._:#/]+")


def mark(name: str) -> str:
    """Not seen on the page; whatever the name holds, it cannot end the mark."""
    return f"<!-- weft:{_ODD.sub('_', name)} -->"


def is_marked(text: str) -> bool:
    return _MARK.search(text) is not None
