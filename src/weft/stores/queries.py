"""The named queries of `queries.sql`, read once."""

from __future__ import annotations

import re
from pathlib import Path

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


def parse_queries(text: str) -> dict[str, str]:
    """Each `-- name: x` begins a query that goes on to the next."""
    _, *parts = _NAME.split(text)
    return {name: sql.strip() for name, sql in zip(parts[::2], parts[1::2], strict=True)}


SQL = parse_queries(Path(__file__).with_name("queries.sql").read_text(encoding="utf-8"))
