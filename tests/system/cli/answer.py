"""What a command answered."""

from __future__ import annotations

from typing import NamedTuple


class Answer(NamedTuple):
    code: int
    out: str
    err: str
