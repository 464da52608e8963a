"""Sizes of memory and disk as people write them."""

from __future__ import annotations

import re

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,3})?) ?([KMGT]?B)?", re.ASCII | re.IGNORECASE)


def parse_size(text: str) -> int:
    """`512MB` → 512000000; `0` is nothing. Raises ValueError."""
    found = _SIZE.fullmatch(text)
    if found is None or (not found[2] and float(found[1])):
        raise ValueError(text)
    return int(float(found[1]) * _UNITS[(found[2] or "").upper()])


def size_text(size: int) -> str:
    """`512 MB`, `1.5 GB`."""
    for unit in ("TB", "GB", "MB", "KB"):
        if size >= _UNITS[unit]:
            return f"{size / _UNITS[unit]:.1f}".removesuffix(".0") + f" {unit}"
    return f"{size} B"
